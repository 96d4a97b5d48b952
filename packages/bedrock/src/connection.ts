import type { AwsClient } from './aws-client.ts';
import { expect } from './expect.ts';

/** What a knowledge base is made on, in the words of the service. */
export type KnowledgeBaseType = 'KENDRA' | 'MANAGED' | 'SQL' | 'VECTOR';

/** Which knowledge base, which of its data sources, and how to reach them. Build it once, and share it among stores. */
export interface BedrockConnection {
  readonly knowledgeBaseId: string;
  /** What the data source is, where stores are to write: documents go to `CUSTOM` and `S3` sources alone. */
  readonly dataSourceType?: 'CUSTOM' | 'S3' | 'OTHER';
  /** Where stores write to. */
  readonly dataSourceId?: string;
  /** Where the objects of an `S3` source are put. */
  readonly s3?: BedrockS3Options;
  /** The metadata attribute that holds the scope, 1 to 100 characters. By default `namespace`. */
  readonly scopeMetadataKey?: string;
  /** Saves the one request that asks for it. */
  readonly knowledgeBaseType?: KnowledgeBaseType;
  /** A `BedrockAgentRuntimeClient`, for searches. By default one is made, with the default region and credentials. */
  readonly runtimeClient?: AwsClient;
  /** A `BedrockAgentClient`, for everything else. By default one is made when it is first needed. */
  readonly agentClient?: AwsClient;
}

/** Where the objects of an S3 data source are put. */
export interface BedrockS3Options {
  readonly bucket: string;
  /**
   * What the keys begin with; a `/` is added where it does not end with one. It is to lie within what the data source
   * includes, or its next sync removes what was added.
   */
  readonly prefix: string;
  /** An `S3Client`. By default one is made when it is first needed. */
  readonly client?: AwsClient;
}

const SOURCES: readonly unknown[] = [undefined, 'CUSTOM', 'S3', 'OTHER'];
const TYPES: readonly unknown[] = [undefined, 'KENDRA', 'MANAGED', 'SQL', 'VECTOR'];

/** @throws MemoryError `INVALID_ARGUMENT` for a connection that can't be used, or not for writing where that is wanted. */
export function checkConnection(connection: BedrockConnection | undefined, writable: boolean): BedrockConnection {
  expect(typeof connection === 'object' && connection !== null, 'connection is to be { knowledgeBaseId, … }.');
  const { knowledgeBaseId, dataSourceType, dataSourceId, s3, scopeMetadataKey, knowledgeBaseType } = connection;
  expect(isId(knowledgeBaseId), 'connection.knowledgeBaseId is to be the id of a knowledge base: letters and digits.');
  expect(dataSourceId === undefined || isId(dataSourceId), 'connection.dataSourceId is to be letters and digits.');
  expect(SOURCES.includes(dataSourceType), "connection.dataSourceType is to be 'CUSTOM', 'S3' or 'OTHER'.");
  expect(
    TYPES.includes(knowledgeBaseType),
    "connection.knowledgeBaseType is to be 'VECTOR', 'MANAGED', 'KENDRA' or 'SQL'.",
  );
  expect(
    scopeMetadataKey === undefined || (typeof scopeMetadataKey === 'string' && /^.{1,100}$/su.test(scopeMetadataKey)),
    'connection.scopeMetadataKey is to be a text of 1 to 100 characters.',
  );
  for (const [name, client] of Object.entries({
    runtimeClient: connection.runtimeClient,
    agentClient: connection.agentClient,
    's3.client': s3?.client,
  })) {
    expect(
      client === undefined || typeof client?.send === 'function',
      `connection.${name} is to be a client of the AWS SDK, version 3.`,
    );
  }
  if (s3 !== undefined) {
    expect(typeof s3?.bucket === 'string' && s3.bucket !== '', 'connection.s3.bucket is to be the name of a bucket.');
    expect(
      typeof s3.prefix === 'string' && s3.prefix.isWellFormed(),
      "connection.s3.prefix is to be a text, such as 'memories/'.",
    );
  }
  if (!writable) return connection;
  expect(
    dataSourceType === 'CUSTOM' || dataSourceType === 'S3',
    'Only data sources of the types CUSTOM and S3 can be written to: set connection.dataSourceType, or leave out writable.',
  );
  expect(
    dataSourceId !== undefined,
    'A writable store needs connection.dataSourceId, the data source that it writes to.',
  );
  expect(
    dataSourceType !== 'S3' || s3 !== undefined,
    'Writing to an S3 data source needs connection.s3, { bucket, prefix }.',
  );
  return connection;
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && /^[0-9a-zA-Z]+$/.test(id);
}
