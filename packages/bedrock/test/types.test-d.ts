/*
 * Type tests: the store is valid in Strands, it accepts clients of the AWS SDK, and filters and documents are those of the
 * SDK. Only `tsc` checks this file (npm run typecheck).
 */
import type { BedrockAgentClient, IngestKnowledgeBaseDocumentsCommandInput } from '@aws-sdk/client-bedrock-agent';
import type { RetrievalFilter as AwsFilter, BedrockAgentRuntimeClient } from '@aws-sdk/client-bedrock-agent-runtime';
import type { S3Client } from '@aws-sdk/client-s3';
import type { MemoryStore } from '@keepsake/core';
import type { MemoryStore as StrandsStore } from '@strands-agents/sdk';
import {
  type AwsClient,
  type BedrockConnection,
  type BedrockKnowledgeBaseConfig,
  BedrockKnowledgeBaseStore,
  type RetrievalFilter,
} from '../src/index.ts';
import type { Document } from '../src/knowledge-base/knowledge-base.ts';

export function storesGoIntoFrameworks(store: BedrockKnowledgeBaseStore): void {
  store satisfies MemoryStore;
  store satisfies StrandsStore;
  const stores: StrandsStore[] = [store];
  stores satisfies MemoryStore[];
}

export function clientsAreThoseOfAws(
  runtime: BedrockAgentRuntimeClient,
  agent: BedrockAgentClient,
  s3: S3Client,
): void {
  runtime satisfies AwsClient;
  agent satisfies AwsClient;
  const connection: BedrockConnection = {
    knowledgeBaseId: 'KB123',
    runtimeClient: runtime,
    agentClient: agent,
    s3: { bucket: 'memories', prefix: '', client: s3 },
  };
  connection satisfies BedrockKnowledgeBaseConfig;
  // @ts-expect-error a client must have `send`
  ({ knowledgeBaseId: 'KB123', agentClient: 'client' }) satisfies BedrockConnection;
}

export function shapesAreThoseOfAws(filter: RetrievalFilter, document: Document): void {
  filter satisfies AwsFilter;
  document satisfies NonNullable<IngestKnowledgeBaseDocumentsCommandInput['documents']>[number];
  // @ts-expect-error unknown operator
  ({ matches: { key: 'a', value: 1 } }) satisfies RetrievalFilter;
}

export function optionsAreChecked(connection: BedrockConnection): void {
  new BedrockKnowledgeBaseStore({ name: 'facts', connection, namespace: ['u', 'alice'] });
  new BedrockKnowledgeBaseStore({ name: 'facts', config: connection, scope: 'user-abc', extraction: true });
  // @ts-expect-error `name` is required
  new BedrockKnowledgeBaseStore({ connection, unscoped: true });
}
