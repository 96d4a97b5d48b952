import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { AwsClient } from '../aws/aws-client.ts';

/** The type of a knowledge base, as the service names it. */
export type KnowledgeBaseType = 'KENDRA' | 'MANAGED' | 'SQL' | 'VECTOR';

/** The knowledge base, its data source and the clients. Create it once and share it among stores. */
export interface BedrockConnection {
  readonly knowledgeBaseId: string;
  /** The type of the data source, required for writable stores. Only `CUSTOM` and `S3` sources accept documents. */
  readonly dataSourceType?: 'CUSTOM' | 'S3' | 'OTHER' | undefined;
  /** The data source that stores write to. */
  readonly dataSourceId?: string | undefined;
  /** The bucket of an `S3` source. */
  readonly s3?: BedrockS3Options | undefined;
  /**
   * The metadata attribute for the scope, 1 to 100 characters.
   *
   * @default 'namespace'
   */
  readonly scopeMetadataKey?: string | undefined;
  /**
   * Saves the request for the type.
   *
   * @default requested from the service
   */
  readonly knowledgeBaseType?: KnowledgeBaseType | undefined;
  /**
   * A `BedrockAgentRuntimeClient`, for searches.
   *
   * @default a new client with the default region and credentials
   */
  readonly runtimeClient?: AwsClient | undefined;
  /**
   * A `BedrockAgentClient`, for everything else.
   *
   * @default a new client, created on first use
   */
  readonly agentClient?: AwsClient | undefined;
}

/** The bucket of an S3 data source. */
export interface BedrockS3Options {
  readonly bucket: string;
  /**
   * The prefix of the keys; a missing `/` at the end is added. It must be within the inclusion prefixes of the data source,
   * or its next sync removes the documents.
   */
  readonly prefix: string;
  /**
   * An `S3Client`.
   *
   * @default a new client, created on first use
   */
  readonly client?: AwsClient | undefined;
}

const CONNECTION: FieldNames<BedrockConnection> = {
  knowledgeBaseId: true,
  dataSourceType: true,
  dataSourceId: true,
  s3: true,
  scopeMetadataKey: true,
  knowledgeBaseType: true,
  runtimeClient: true,
  agentClient: true,
};
const S3: FieldNames<BedrockS3Options> = { bucket: true, prefix: true, client: true };

const SOURCES: readonly unknown[] = [undefined, 'CUSTOM', 'S3', 'OTHER'];
const TYPES: readonly unknown[] = [undefined, 'KENDRA', 'MANAGED', 'SQL', 'VECTOR'];

/**
 * A checked copy of a connection.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an invalid connection, or one without write access if `writable` is true.
 */
export function checkConnection(rawConnection: BedrockConnection | undefined, writable: boolean): BedrockConnection {
  expect(typeof rawConnection === 'object' && rawConnection !== null, '`connection` must be { knowledgeBaseId, … }.');
  const connection = copyOf(rawConnection);
  const { knowledgeBaseId, dataSourceType, dataSourceId, s3, scopeMetadataKey, knowledgeBaseType } = connection;
  expect(isId(knowledgeBaseId), '`connection.knowledgeBaseId` must be the id of a knowledge base: letters and digits.');
  expect(dataSourceId === undefined || isId(dataSourceId), '`connection.dataSourceId` must be letters and digits.');
  expect(SOURCES.includes(dataSourceType), "`connection.dataSourceType` must be 'CUSTOM', 'S3' or 'OTHER'.");
  expect(
    TYPES.includes(knowledgeBaseType),
    "`connection.knowledgeBaseType` must be 'VECTOR', 'MANAGED', 'KENDRA' or 'SQL'.",
  );
  expect(
    scopeMetadataKey === undefined || (typeof scopeMetadataKey === 'string' && /^.{1,100}$/su.test(scopeMetadataKey)),
    '`connection.scopeMetadataKey` must be a string of 1 to 100 characters.',
  );
  for (const [name, client] of Object.entries({
    runtimeClient: connection.runtimeClient,
    agentClient: connection.agentClient,
    's3.client': s3?.client,
  })) {
    expect(
      client === undefined || typeof client?.send === 'function',
      `\`connection.${name}\` must be a client of the AWS SDK v3.`,
    );
  }
  if (s3 !== undefined) {
    expect(typeof s3?.bucket === 'string' && s3.bucket !== '', '`connection.s3.bucket` must be the name of a bucket.');
    expect(
      typeof s3.prefix === 'string' && s3.prefix.isWellFormed(),
      "`connection.s3.prefix` must be a string, such as 'memories/'.",
    );
  }
  if (!writable) return connection;
  expect(
    dataSourceType === 'CUSTOM' || dataSourceType === 'S3',
    'Only CUSTOM and S3 data sources accept documents: set `connection.dataSourceType`, or omit `writable`.',
  );
  expect(
    dataSourceId !== undefined,
    'A writable store requires `connection.dataSourceId`, the data source that it writes to.',
  );
  expect(
    dataSourceType !== 'S3' || s3 !== undefined,
    'Writing to an S3 data source requires `connection.s3`, { bucket, prefix }.',
  );
  return connection;
}

function copyOf(rawConnection: BedrockConnection): BedrockConnection {
  const { s3, ...connection } = expectKnownFields(rawConnection, CONNECTION, 'connection');
  return s3 === undefined ? connection : { ...connection, s3: expectKnownFields(s3, S3, 'connection.s3') };
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && /^[0-9a-zA-Z]+$/.test(id);
}
