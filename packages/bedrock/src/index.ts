export type { AccessControlEntry } from './attributes.ts';
export type { AwsClient } from './aws-client.ts';
export {
  type AddedDocument,
  BedrockKnowledgeBaseStore,
  type DocumentStatus,
} from './bedrock-knowledge-base-store.ts';
export type {
  BedrockConnection,
  BedrockConnection as BedrockKnowledgeBaseConfig,
  BedrockS3Options,
  KnowledgeBaseType,
} from './connection.ts';
export type { BedrockKnowledgeBaseStoreOptions } from './options.ts';
export type { FilterAttribute, RetrievalFilter } from './retrieval-filter.ts';
export type { WaitOptions } from './wait-until-indexed.ts';
