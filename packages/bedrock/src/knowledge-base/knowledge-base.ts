import { throwIfAborted } from '@keepsake/core/adapter';
import { untilAborted } from '@keepsake/internal';
import type { AwsClient, DocumentDetail, DocumentIdentifier, RetrievalResult } from '../aws/aws-client.ts';
import { type AwsCall, asMemoryError } from '../aws/aws-errors.ts';
import { loadAgentSdk, loadRuntimeSdk, loadS3Sdk } from '../aws/load-sdk.ts';
import type { RetrievalFilter } from '../filters/retrieval-filter.ts';
import type { AccessControlEntry, Attribute } from './attributes.ts';
import type { BedrockConnection, KnowledgeBaseType } from './connection.ts';

/** One page of a search. */
export interface RetrievalRequest {
  readonly query: string;
  readonly numberOfResults: number;
  readonly filter: RetrievalFilter | undefined;
  readonly userContext: { readonly userId: string } | undefined;
  readonly nextToken: string | undefined;
}

export interface RetrievalPage {
  readonly results: readonly RetrievalResult[];
  readonly nextToken: string | undefined;
}

/** A document to ingest. */
export interface Document {
  readonly content:
    | {
        readonly dataSourceType: 'CUSTOM';
        readonly custom: {
          readonly customDocumentIdentifier: { readonly id: string };
          readonly sourceType: 'IN_LINE';
          readonly inlineContent: { readonly type: 'TEXT'; readonly textContent: { readonly data: string } };
        };
      }
    | { readonly dataSourceType: 'S3'; readonly s3: { readonly s3Location: { readonly uri: string } } };
  readonly metadata?:
    | {
        readonly type: 'IN_LINE_ATTRIBUTE';
        readonly inlineAttributes: Attribute[];
        readonly accessControlList?: AccessControlEntry[];
      }
    | { readonly type: 'S3_LOCATION'; readonly s3Location: { readonly uri: string } };
}

/** The requests to a knowledge base, shared by all stores of a connection. */
export class KnowledgeBase {
  /** Stores that share a connection share its clients and the request for its type. */
  static readonly #bases = new WeakMap<BedrockConnection, KnowledgeBase>();
  readonly connection: BedrockConnection;
  #type: Promise<KnowledgeBaseType> | undefined;
  #runtime: Promise<AwsClient> | undefined;
  #agent: Promise<AwsClient> | undefined;
  #s3: Promise<AwsClient> | undefined;

  /**
   * The knowledge base of a connection.
   *
   * @param shared - The caller's object, which stores may share.
   * @param connection - A checked copy of it, so that later changes affect only new stores.
   */
  static of(shared: BedrockConnection, connection: BedrockConnection): KnowledgeBase {
    const base = KnowledgeBase.#bases.get(shared);
    if (base !== undefined && isSame(base.connection, connection)) return base;
    const made = new KnowledgeBase(connection);
    KnowledgeBase.#bases.set(shared, made);
    return made;
  }

  private constructor(connection: BedrockConnection) {
    this.connection = connection;
  }

  /** The type of the knowledge base. Requested once; a failed request is repeated by the next call. */
  type(): Promise<KnowledgeBaseType> {
    const asked = this.#type ?? this.#askType();
    this.#type = asked;
    asked.catch(() => {
      if (this.#type === asked) this.#type = undefined;
    });
    return asked;
  }

  async #askType(): Promise<KnowledgeBaseType> {
    const { knowledgeBaseId, knowledgeBaseType } = this.connection;
    if (knowledgeBaseType !== undefined) return knowledgeBaseType;
    return this.#call({ writes: false, permission: 'bedrock:GetKnowledgeBase' }, async () => {
      const { GetKnowledgeBaseCommand } = await loadAgentSdk();
      const client = await this.#agentClient();
      const { knowledgeBase } = await client.send(new GetKnowledgeBaseCommand({ knowledgeBaseId }));
      return knowledgeBase.knowledgeBaseConfiguration.type;
    });
  }

  async retrieve(request: RetrievalRequest, signal: AbortSignal | undefined): Promise<RetrievalPage> {
    const { query, numberOfResults, filter, userContext, nextToken } = request;
    const search = { numberOfResults, ...(filter && { filter }) };
    const managed = (await orAborted(this.type(), signal)) === 'MANAGED';
    return this.#call({ writes: false, permission: 'bedrock:Retrieve' }, async () => {
      const { RetrieveCommand } = await loadRuntimeSdk();
      const command = new RetrieveCommand({
        knowledgeBaseId: this.connection.knowledgeBaseId,
        retrievalQuery: { text: query },
        retrievalConfiguration: managed
          ? { managedSearchConfiguration: search }
          : { vectorSearchConfiguration: search },
        ...(userContext && { userContext }),
        ...(nextToken === undefined ? {} : { nextToken }),
      });
      const client = await this.#runtimeClient();
      const answer = await client.send(command, { abortSignal: signal });
      return { results: answer.retrievalResults ?? [], nextToken: answer.nextToken };
    });
  }

  /** Ingests a document and returns its status. The SDK sets an idempotency token, so its own retries are safe. */
  async ingest(document: Document): Promise<DocumentDetail | undefined> {
    return this.#call({ writes: true, permission: 'bedrock:IngestKnowledgeBaseDocuments' }, async () => {
      const { IngestKnowledgeBaseDocumentsCommand } = await loadAgentSdk();
      const client = await this.#agentClient();
      const command = new IngestKnowledgeBaseDocumentsCommand({ ...this.#source, documents: [document] });
      return (await client.send(command)).documentDetails?.[0];
    });
  }

  async deleteDocument(identifier: DocumentIdentifier): Promise<DocumentDetail | undefined> {
    return this.#call({ writes: true, permission: 'bedrock:DeleteKnowledgeBaseDocuments' }, async () => {
      const { DeleteKnowledgeBaseDocumentsCommand } = await loadAgentSdk();
      const client = await this.#agentClient();
      const command = new DeleteKnowledgeBaseDocumentsCommand({ ...this.#source, documentIdentifiers: [identifier] });
      return (await client.send(command)).documentDetails?.[0];
    });
  }

  async getDocument(
    identifier: DocumentIdentifier,
    signal: AbortSignal | undefined,
  ): Promise<DocumentDetail | undefined> {
    return this.#call({ writes: false, permission: 'bedrock:GetKnowledgeBaseDocuments' }, async () => {
      const { GetKnowledgeBaseDocumentsCommand } = await loadAgentSdk();
      const client = await this.#agentClient();
      const command = new GetKnowledgeBaseDocumentsCommand({ ...this.#source, documentIdentifiers: [identifier] });
      return (await client.send(command, { abortSignal: signal })).documentDetails?.[0];
    });
  }

  /** Writes an object; with `onlyNew`, only if it does not exist. Returns whether it was written. */
  async putObject(key: string, body: string, type: string, onlyNew = false): Promise<boolean> {
    return this.#call({ writes: true, permission: 's3:PutObject' }, async () => {
      const { PutObjectCommand } = await loadS3Sdk();
      const client = await this.#s3Client();
      const object = { Bucket: this.connection.s3?.bucket, Key: key, Body: body, ContentType: type };
      try {
        await client.send(new PutObjectCommand(onlyNew ? { ...object, IfNoneMatch: '*' } : object));
        return true;
      } catch (error) {
        if (onlyNew && (error as { name?: unknown }).name === 'PreconditionFailed') return false;
        throw error;
      }
    });
  }

  async deleteObject(key: string): Promise<void> {
    await this.#call({ writes: true, permission: 's3:DeleteObject' }, async () => {
      const { DeleteObjectCommand } = await loadS3Sdk();
      const client = await this.#s3Client();
      await client.send(new DeleteObjectCommand({ Bucket: this.connection.s3?.bucket, Key: key }));
    });
  }

  get #source() {
    const { knowledgeBaseId, dataSourceId } = this.connection;
    return { knowledgeBaseId, dataSourceId };
  }

  #runtimeClient(): Promise<AwsClient> {
    const { runtimeClient } = this.connection;
    this.#runtime ??= runtimeClient
      ? Promise.resolve(runtimeClient)
      : loadRuntimeSdk().then(({ BedrockAgentRuntimeClient }) => new BedrockAgentRuntimeClient());
    return this.#runtime;
  }

  #agentClient(): Promise<AwsClient> {
    const { agentClient } = this.connection;
    this.#agent ??= agentClient
      ? Promise.resolve(agentClient)
      : loadAgentSdk().then(({ BedrockAgentClient }) => new BedrockAgentClient());
    return this.#agent;
  }

  #s3Client(): Promise<AwsClient> {
    const { s3 } = this.connection;
    this.#s3 ??= s3?.client ? Promise.resolve(s3.client) : loadS3Sdk().then(({ S3Client }) => new S3Client());
    return this.#s3;
  }

  async #call<T>(call: AwsCall, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw asMemoryError(error, call);
    }
  }
}

/** Whether a connection is unchanged since it was copied. */
function isSame({ s3: copiedS3, ...copied }: BedrockConnection, { s3, ...connection }: BedrockConnection): boolean {
  return hasFieldsOf(copied, connection) && hasFieldsOf(copiedS3 ?? {}, s3 ?? {});
}

function hasFieldsOf(a: object, b: object): boolean {
  const fields = Object.entries(b);
  return Object.keys(a).length === fields.length && fields.every(([name, value]) => a[name as keyof object] === value);
}

/**
 * Waits for a promise, or rejects with `ABORTED` when the signal is aborted. The work goes on, because others wait for it
 * too.
 */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return untilAborted(signal, () => promise).catch((error) => {
    throwIfAborted(signal);
    throw error;
  });
}
