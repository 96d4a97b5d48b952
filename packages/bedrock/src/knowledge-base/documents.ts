import { MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { sha256 } from '@keepsake/internal';
import type { DocumentDetail, DocumentIdentifier } from '../aws/aws-client.ts';
import type { AccessControlEntry, Attribute } from './attributes.ts';
import type { BedrockConnection } from './connection.ts';
import type { Document, KnowledgeBase } from './knowledge-base.ts';

/** The input of {@link Documents.add}. */
export interface NewDocument {
  readonly content: string;
  readonly attributes: Attribute[];
  readonly accessControlList: readonly AccessControlEntry[] | undefined;
}

/** Statuses of a failed ingestion. */
const FAILED: readonly unknown[] = ['FAILED', 'IGNORED', 'METADATA_UPDATE_FAILED'];

/** The service does not read larger metadata files. */
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

  /** Ingests a text. The id is derived from scope and text, so the same text again is the same document. */
  async add(document: NewDocument): Promise<{ readonly documentId: string; readonly status: string }> {
    const name = `${await this.#prefix}${await sha256(JSON.stringify(document.content))}`;
    if (this.#connection.dataSourceType === 'S3') return this.#addObject(name, document);
    return { documentId: name, status: await this.#ingest(customDocument(name, document), document) };
  }

  /** The status of a document; `undefined` if this scope has none with that id. */
  async status(id: string, signal?: AbortSignal): Promise<DocumentDetail | undefined> {
    const identifier = await this.#identify(id);
    if (identifier === undefined) return undefined;
    const detail = await this.#base.getDocument(identifier, signal);
    return detail?.status === undefined || detail.status === 'NOT_FOUND' ? undefined : detail;
  }

  /** Removes a document from the index and its objects from the bucket. Returns whether it was in the index. */
  async delete(id: string): Promise<boolean> {
    const identifier = await this.#identify(id);
    if (identifier === undefined) return false;
    const detail = await this.#base.deleteDocument(identifier);
    const key = identifier.dataSourceType === 'S3' ? this.#keyOf(identifier.s3.uri) : undefined;
    // Even if it is no longer in the index, because an earlier call may have stopped here.
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
      // An object that existed before belongs to an acknowledged document, and one that may have been ingested must stay.
      if (isNew && (error as MemoryError).code !== 'OUTCOME_UNKNOWN') await this.#removeInVain(key);
      throw error;
    }
  }

  async #ingest(document: Document, { accessControlList }: NewDocument): Promise<string> {
    const detail = await this.#base.ingest(document).catch((error: MemoryError) => {
      throw accessControlList === undefined && wantsAccessControl(error.cause) ? missingAccessControl(error) : error;
    });
    if (detail?.status === undefined) {
      throw new MemoryError('OUTCOME_UNKNOWN', 'The service returned no status for the document. Add it again.');
    }
    if (FAILED.includes(detail.status)) throw ingestionError(detail);
    return detail.status;
  }

  async #removeObjects(key: string): Promise<void> {
    await this.#base.deleteObject(key);
    await this.#base.deleteObject(sidecarKey(key));
  }

  /** Ignores its own failure, because the caller must see the error of the ingestion. */
  async #removeInVain(key: string): Promise<void> {
    await this.#removeObjects(key).catch(() => undefined);
  }

  async #identify(id: string): Promise<DocumentIdentifier | undefined> {
    expect(
      typeof id === 'string' && id !== '',
      '`id` must be the id of an entry, or the `documentId` that add() returned.',
    );
    const { dataSourceType, dataSourceId } = this.#connection;
    if (dataSourceId === undefined || (dataSourceType !== 'CUSTOM' && dataSourceType !== 'S3')) {
      throw new MemoryError(
        'UNSUPPORTED',
        'Documents can be read and deleted by id only in CUSTOM and S3 data sources: set `connection.dataSourceId` and `connection.dataSourceType`.',
      );
    }
    const prefix = await this.#prefix;
    const name = dataSourceType === 'S3' ? this.#keyOf(id)?.slice(this.#keyPrefix.length) : id;
    if (name === undefined || !(this.#unscoped || name.startsWith(prefix))) return undefined;
    return dataSourceType === 'S3' ? { dataSourceType, s3: { uri: id } } : { dataSourceType, custom: { id } };
  }

  /** The key of a URI; `undefined` if it is outside the bucket or the prefix. */
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

/** The error of a failed ingestion, with the service's reason. */
export function ingestionError({ status, statusReason }: DocumentDetail): MemoryError {
  const reason = statusReason === undefined ? 'no reason given' : statusReason.slice(0, 500);
  return new MemoryError('BACKEND', `The document was not indexed (${status}): ${reason}`);
}

/** Whether an ingestion failed. */
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
      '`accessControlList` requires at least one attribute: open the store with a namespace, or add metadata.',
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

/** The metadata file of an object; `undefined` if there are no attributes. */
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
      '`metadata` is over 10 KiB, the limit of an S3 data source. Put long values into the content.',
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
    'This data source uses access control and accepts no document without it: open the store with an `accessControlList`.',
    { cause: error.cause },
  );
}
