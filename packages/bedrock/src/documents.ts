import { MemoryError, sha256 } from '@keepsake/core';
import type { AccessControlEntry, Attribute } from './attributes.ts';
import type { DocumentDetail, DocumentIdentifier } from './aws-client.ts';
import type { BedrockConnection } from './connection.ts';
import { expect } from './expect.ts';
import type { Document, KnowledgeBase } from './knowledge-base.ts';

/** What {@link Documents.add} writes. */
export interface NewDocument {
  readonly content: string;
  readonly attributes: Attribute[];
  readonly accessControlList: readonly AccessControlEntry[] | undefined;
}

/** Statuses that an ingestion does not come out of by itself. */
const FAILED: readonly unknown[] = ['FAILED', 'IGNORED', 'METADATA_UPDATE_FAILED'];

/** Metadata files over this are not read by the service. */
const MAX_SIDECAR_BYTES = 10 * 1024;

/** The documents of one scope in a data source. */
export class Documents {
  readonly #base: KnowledgeBase;
  readonly #connection: BedrockConnection;
  readonly #prefix: Promise<string>;
  readonly #unscoped: boolean;

  constructor(base: KnowledgeBase, prefix: Promise<string>, unscoped: boolean) {
    this.#base = base;
    this.#connection = base.connection;
    this.#prefix = prefix;
    this.#unscoped = unscoped;
  }

  /** Ingests a text under an id that derives from scope and text, so that the same again is the same document. */
  async add(document: NewDocument): Promise<{ readonly documentId: string; readonly status: string }> {
    const name = `${await this.#prefix}${await sha256(JSON.stringify(document.content))}`;
    if (this.#connection.dataSourceType === 'S3') return this.#addObject(name, document);
    return { documentId: name, status: await this.#ingest(customDocument(name, document), document) };
  }

  /** Says what became of a document; `undefined` where there is none, or none of this scope. */
  async status(id: string, signal?: AbortSignal): Promise<DocumentDetail | undefined> {
    const identifier = await this.#identify(id);
    if (identifier === undefined) return undefined;
    const detail = await this.#base.getDocument(identifier, signal);
    return detail?.status === undefined || detail.status === 'NOT_FOUND' ? undefined : detail;
  }

  /** Takes a document out of the index, and its objects out of the bucket. Says whether it was in the index. */
  async delete(id: string): Promise<boolean> {
    const identifier = await this.#identify(id);
    if (identifier === undefined) return false;
    const detail = await this.#base.deleteDocument(identifier);
    const key = identifier.dataSourceType === 'S3' ? this.#keyOf(identifier.s3.uri) : undefined;
    // Also where it was not in the index any more: an earlier call may have come no further.
    if (key !== undefined) await this.#removeObjects(key);
    return detail?.status !== undefined && detail.status !== 'NOT_FOUND';
  }

  async #addObject(name: string, document: NewDocument) {
    const { bucket } = this.#connection.s3 as NonNullable<BedrockConnection['s3']>;
    const key = `${this.#keyPrefix}${name}.txt`;
    const sidecar = sidecarOf(document);
    const isNew = await this.#base.putObject(key, document.content, 'text/plain; charset=utf-8', true);
    const uri = `s3://${bucket}/${key}`;
    try {
      if (sidecar !== undefined) await this.#base.putObject(sidecarKey(key), sidecar, 'application/json');
      else if (!isNew) await this.#base.deleteObject(sidecarKey(key));
      const metadata = sidecar === undefined ? undefined : `s3://${bucket}/${sidecarKey(key)}`;
      return { documentId: uri, status: await this.#ingest(s3Document(uri, metadata), document) };
    } catch (error) {
      // What was there before belongs to a document that was acknowledged, and what may have been ingested has to stay.
      if (isNew && (error as MemoryError).code !== 'OUTCOME_UNKNOWN') await this.#removeInVain(key);
      throw error;
    }
  }

  async #ingest(document: Document, { accessControlList }: NewDocument): Promise<string> {
    const detail = await this.#base.ingest(document).catch((error: MemoryError) => {
      throw accessControlList === undefined && wantsAccessControl(error.cause) ? missingAccessControl(error) : error;
    });
    if (detail?.status === undefined) {
      throw new MemoryError('OUTCOME_UNKNOWN', 'The service did not say what became of the document. Add it again.');
    }
    if (FAILED.includes(detail.status)) throw ingestionError(detail);
    return detail.status;
  }

  async #removeObjects(key: string): Promise<void> {
    await this.#base.deleteObject(key);
    await this.#base.deleteObject(sidecarKey(key));
  }

  /** The failure of the ingestion is what the caller is to hear of, whatever else fails. */
  async #removeInVain(key: string): Promise<void> {
    await this.#removeObjects(key).catch(() => undefined);
  }

  async #identify(id: string): Promise<DocumentIdentifier | undefined> {
    expect(typeof id === 'string' && id !== '', 'id is to be that of an entry, or the documentId that add gave.');
    const { dataSourceType, dataSourceId } = this.#connection;
    if (dataSourceId === undefined || (dataSourceType !== 'CUSTOM' && dataSourceType !== 'S3')) {
      throw new MemoryError(
        'UNSUPPORTED',
        'Documents can be looked at and deleted in CUSTOM and S3 data sources alone: name one.',
      );
    }
    const prefix = await this.#prefix;
    const name = dataSourceType === 'S3' ? this.#keyOf(id)?.slice(this.#keyPrefix.length) : id;
    if (name === undefined || !(this.#unscoped || name.startsWith(prefix))) return undefined;
    return dataSourceType === 'S3' ? { dataSourceType, s3: { uri: id } } : { dataSourceType, custom: { id } };
  }

  /** The key that a URI names; `undefined` where it lies elsewhere. */
  #keyOf(uri: string): string | undefined {
    const start = `s3://${this.#connection.s3?.bucket}/`;
    const key = uri.startsWith(start) ? uri.slice(start.length) : undefined;
    return key?.startsWith(this.#keyPrefix) ? key : undefined;
  }

  get #keyPrefix(): string {
    const prefix = this.#connection.s3?.prefix ?? '';
    return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  }
}

/** An ingestion that came to nothing, in the words of the service. */
export function ingestionError({ status, statusReason }: DocumentDetail): MemoryError {
  const reason = statusReason === undefined ? 'No reason is given' : statusReason.slice(0, 500);
  return new MemoryError('BACKEND', `The document was not indexed (${status}): ${reason}`);
}

/** Whether an ingestion came to nothing. */
export function hasFailed({ status }: DocumentDetail): boolean {
  return FAILED.includes(status);
}

function customDocument(id: string, { content, attributes, accessControlList }: NewDocument): Document {
  const inlineContent = { type: 'TEXT', textContent: { data: content } } as const;
  const custom = { customDocumentIdentifier: { id }, sourceType: 'IN_LINE', inlineContent } as const;
  const document: Document = { content: { dataSourceType: 'CUSTOM', custom } };
  if (attributes.length === 0) {
    expect(
      accessControlList === undefined,
      'An accessControlList goes with at least one attribute: give the store a namespace, or the text some metadata.',
    );
    return document;
  }
  const list = accessControlList && { accessControlList: [...accessControlList] };
  return { ...document, metadata: { type: 'IN_LINE_ATTRIBUTE', inlineAttributes: attributes, ...list } };
}

function s3Document(uri: string, metadataUri: string | undefined): Document {
  const content = { dataSourceType: 'S3', s3: { s3Location: { uri } } } as const;
  return metadataUri === undefined
    ? { content }
    : { content, metadata: { type: 'S3_LOCATION', s3Location: { uri: metadataUri } } };
}

/** The file beside an object that holds its attributes; `undefined` where there is nothing to be said of it. */
function sidecarOf({ attributes, accessControlList }: NewDocument): string | undefined {
  if (attributes.length === 0 && accessControlList === undefined) return undefined;
  const file = {
    metadataAttributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, { value, includeForEmbedding: false }]),
    ),
    ...(accessControlList && {
      accessControlList: accessControlList.map(({ name, type, access }) => ({
        Name: name,
        Type: type,
        Access: access,
      })),
    }),
  };
  const json = JSON.stringify(file);
  if (new TextEncoder().encode(json).length > MAX_SIDECAR_BYTES) {
    throw new MemoryError(
      'TOO_LARGE',
      'The metadata is over the 10 KiB that an S3 data source reads. Keep what is long in the content.',
    );
  }
  return json;
}

function sidecarKey(key: string): string {
  return `${key}.metadata.json`;
}

function wantsAccessControl(cause: unknown): boolean {
  const { name, message } = (cause ?? {}) as { name?: unknown; message?: unknown };
  return name === 'ValidationException' && /access.?control|\bacl/i.test(String(message));
}

function missingAccessControl(error: MemoryError): MemoryError {
  return new MemoryError(
    'BACKEND',
    'This data source is aware of access control, and takes no document without it: give the store an accessControlList.',
    { cause: error.cause },
  );
}
