export type { AwsClient } from './aws/aws-client.ts';
export {
  type AddedDocument,
  BedrockKnowledgeBaseStore,
  type DocumentStatus,
} from './bedrock-knowledge-base-store.ts';
export type { FilterAttribute, RetrievalFilter } from './filters/retrieval-filter.ts';
export type { AccessControlEntry } from './knowledge-base/attributes.ts';
export type {
  BedrockConnection,
  BedrockConnection as BedrockKnowledgeBaseConfig,
  BedrockS3Options,
  KnowledgeBaseType,
} from './knowledge-base/connection.ts';
export type { WaitOptions } from './knowledge-base/wait-until-indexed.ts';
export type { BedrockKnowledgeBaseStoreOptions } from './options.ts';
