import { invalid } from './aws-failure.ts';
import type { Buckets } from './buckets.ts';
import { type AttributeValue, type DocumentBody, type IdentifierBody, metadataFile, readShape } from './requests.ts';

/** How ingestion progresses: within a number of milliseconds, one step per status request, or manually. */
export type Pace = number | 'polled' | 'manual';

/** The result of ingestion instead of `INDEXED`. */
export interface Verdict {
  readonly status: 'FAILED' | 'IGNORED';
  readonly reason: string;
  /**
   * Whether the failure only shows at the end of the ingestion.
   *
   * @default false: it is in the response
   */
  readonly late?: boolean;
}

/** The searchable state of a document. */
export interface Indexed {
  readonly text: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly access: readonly { readonly name: string; readonly access: 'ALLOW' | 'DENY' }[] | undefined;
}

/** A document that is in the index from the start, as after a sync. */
export interface PlantedDocument {
  readonly id: string;
  readonly text: string;
  /** Any attributes, also ones that ingestion would refuse. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

interface StoredDocument {
  /** The state that searches find. It stays unchanged until the ingestion of the next state has ended. */
  indexed: Indexed | undefined;
  /** The state at the end of the ingestion; `undefined` for a deletion. */
  next: Indexed | undefined;
  steps: readonly string[];
  step: number;
  startedAt: number;
  updatedAt: string;
  reason: string | undefined;
}

const INGESTION = ['STARTING', 'PENDING', 'IN_PROGRESS', 'INDEXED'];
const DELETION = ['DELETING', 'DELETE_IN_PROGRESS', 'NOT_FOUND'];

export interface DataSourceOptions {
  readonly id: string;
  readonly type: 'CUSTOM' | 'S3';
  /**
   * Whether every document requires an access control list and every search a user.
   *
   * @default false
   */
  readonly aclEnabled?: boolean;
}

/** The documents of one data source and their ingestion status. */
export class DataSource {
  readonly options: DataSourceOptions;
  readonly #knowledgeBaseId: string;
  readonly #buckets: Buckets;
  readonly #pace: Pace;
  readonly #verdict: () => Verdict | undefined;
  readonly #documents = new Map<string, StoredDocument>();

  constructor(
    knowledgeBaseId: string,
    options: DataSourceOptions,
    { buckets, pace, verdict }: { buckets: Buckets; pace: Pace; verdict: () => Verdict | undefined },
  ) {
    this.options = options;
    this.#knowledgeBaseId = knowledgeBaseId;
    this.#buckets = buckets;
    this.#pace = pace;
    this.#verdict = verdict;
  }

  plant({ id, text, attributes = {} }: PlantedDocument): void {
    const indexed = { text, attributes, access: undefined };
    this.#documents.set(id, { ...begin(INGESTION), step: INGESTION.length - 1, indexed, next: indexed });
  }

  /** Ingests documents, all or none. */
  ingest(bodies: readonly DocumentBody[]): object[] {
    const read = bodies.map((body) => ({ identifier: identifierOf(body), next: this.#read(body) }));
    return read.map(({ identifier, next }) => {
      const id = this.#idOf(identifier);
      const verdict = this.#verdict();
      const steps = verdict === undefined ? INGESTION : [...INGESTION.slice(0, verdict.late ? -1 : 0), verdict.status];
      const { indexed } = this.#documents.get(id) ?? {};
      this.#documents.set(id, { ...begin(steps), indexed, next: verdict ? indexed : next, reason: verdict?.reason });
      return this.#detail(identifier);
    });
  }

  delete(identifiers: readonly IdentifierBody[]): object[] {
    return identifiers.map((identifier) => {
      const id = this.#idOf(identifier);
      const known = this.#settled(id);
      if (known !== undefined) this.#documents.set(id, { ...begin(DELETION), indexed: known.indexed, next: undefined });
      return this.#detail(identifier);
    });
  }

  get(identifiers: readonly IdentifierBody[]): object[] {
    return identifiers.map((identifier) => {
      const known = this.#settled(this.#idOf(identifier));
      const detail = this.#detail(identifier);
      if (known !== undefined && this.#pace === 'polled') known.step++;
      return detail;
    });
  }

  list(): object[] {
    const identify = (id: string): IdentifierBody =>
      this.options.type === 'S3'
        ? { dataSourceType: 'S3', s3: { uri: id } }
        : { dataSourceType: 'CUSTOM', custom: { id } };
    return [...this.#documents.keys()].filter((id) => this.#settled(id)).map((id) => this.#detail(identify(id)));
  }

  /** The documents that searches can find now, by id. */
  indexed(): Map<string, Indexed> {
    const found = new Map<string, Indexed>();
    for (const id of [...this.#documents.keys()]) {
      const document = this.#settled(id)?.indexed;
      if (document !== undefined) found.set(id, document);
    }
    return found;
  }

  /** Completes all pending ingestions and deletions. */
  settle(): void {
    for (const [id, document] of [...this.#documents]) {
      document.step = document.steps.length - 1;
      this.#settled(id);
    }
  }

  /** The current state of a document; `undefined` if it does not exist. */
  #settled(id: string): StoredDocument | undefined {
    const document = this.#documents.get(id);
    if (document === undefined) return undefined;
    const last = document.steps.length - 1;
    if (typeof this.#pace === 'number') {
      const share = this.#pace === 0 ? 1 : (Date.now() - document.startedAt) / this.#pace;
      document.step = Math.max(document.step, Math.floor(share * last));
    }
    document.step = Math.min(document.step, last);
    if (document.step === last) document.indexed = document.next;
    if (document.steps[document.step] !== 'NOT_FOUND') return document;
    this.#documents.delete(id);
    return undefined;
  }

  #detail(identifier: IdentifierBody): object {
    const document = this.#documents.get(this.#idOf(identifier));
    const status = document?.steps[document.step] ?? 'NOT_FOUND';
    const reason =
      document?.reason !== undefined && ['FAILED', 'IGNORED'].includes(status) ? document.reason : undefined;
    return {
      knowledgeBaseId: this.#knowledgeBaseId,
      dataSourceId: this.options.id,
      status,
      identifier,
      ...(reason === undefined ? {} : { statusReason: reason }),
      ...(document === undefined ? {} : { updatedAt: document.updatedAt }),
    };
  }

  #idOf(identifier: IdentifierBody): string {
    if (identifier.dataSourceType !== this.options.type) {
      throw invalid(`The data source is of the type ${this.options.type}.`);
    }
    return identifier.dataSourceType === 'S3' ? identifier.s3.uri : identifier.custom.id;
  }

  #read(body: DocumentBody): Indexed {
    const { type, aclEnabled = false } = this.options;
    if (body.content.dataSourceType !== type) throw invalid(`The data source is of the type ${type}.`);
    const indexed = body.content.dataSourceType === 'S3' ? this.#readObject(body) : readInline(body);
    if (aclEnabled && indexed.access === undefined) {
      throw invalid('accessControlList is required: ACL awareness is enabled for this data source.');
    }
    if (!aclEnabled && indexed.access !== undefined) {
      throw invalid('accessControlList is not supported: ACL awareness is not enabled for this data source.');
    }
    return indexed;
  }

  #readObject({ content, metadata }: DocumentBody): Indexed {
    const { uri } = (content as Extract<DocumentBody['content'], { dataSourceType: 'S3' }>).s3.s3Location;
    const text = this.#buckets.read(uri);
    if (text === undefined) throw invalid('There is no object at the s3Location of the content.');
    if (metadata === undefined) return { text, attributes: {}, access: undefined };
    if (metadata.type !== 'S3_LOCATION') throw invalid('The metadata of an S3 document lies in S3.');
    if (metadata.s3Location.uri !== `${uri}.metadata.json`) throw invalid('A metadata file lies beside its object.');
    const json = this.#buckets.read(metadata.s3Location.uri);
    if (json === undefined) throw invalid('There is no object at the s3Location of the metadata.');
    if (Buffer.byteLength(json) > 10 * 1024) throw invalid('A metadata file has 10 KB at most.');
    const file = readShape(metadataFile, json);
    const values = Object.entries(file.metadataAttributes).map(([key, { value }]) => [key, plain(value)]);
    return {
      text,
      attributes: Object.fromEntries(values),
      access: file.accessControlList?.map(({ Name, Access }) => ({ name: Name, access: Access })),
    };
  }
}

function begin(steps: readonly string[]): StoredDocument {
  const now = new Date();
  return {
    indexed: undefined,
    next: undefined,
    steps,
    step: 0,
    startedAt: now.getTime(),
    updatedAt: now.toISOString(),
    reason: undefined,
  };
}

function readInline({ content, metadata }: DocumentBody): Indexed {
  const { custom } = content as Extract<DocumentBody['content'], { dataSourceType: 'CUSTOM' }>;
  const text = custom.inlineContent.textContent.data;
  if (metadata === undefined) return { text, attributes: {}, access: undefined };
  if (metadata.type !== 'IN_LINE_ATTRIBUTE') throw invalid('The metadata of an inline document is inline.');
  const names = metadata.inlineAttributes.map(({ key }) => key);
  if (new Set(names).size < names.length) throw invalid('An attribute is given twice.');
  const attributes = Object.fromEntries(metadata.inlineAttributes.map(({ key, value }) => [key, plain(value)]));
  return { text, attributes, access: metadata.accessControlList };
}

function plain(value: AttributeValue): unknown {
  if (value.type === 'STRING') return value.stringValue;
  if (value.type === 'NUMBER') return value.numberValue;
  return value.type === 'BOOLEAN' ? value.booleanValue : value.stringListValue;
}

function identifierOf({ content }: DocumentBody): IdentifierBody {
  return content.dataSourceType === 'S3'
    ? { dataSourceType: 'S3', s3: { uri: content.s3.s3Location.uri } }
    : { dataSourceType: 'CUSTOM', custom: { id: content.custom.customDocumentIdentifier.id } };
}
