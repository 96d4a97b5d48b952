export type {
  CompactionClient,
  ConversationsClient,
  EmbeddingsClient,
  ResponsesClient,
  VectorStoresClient,
} from './api/openai-client.ts';
export { type CompactingOptions, type CompactingSession, compacting } from './compacting.ts';
export { OpenAIConversationsSession, type OpenAIConversationsSessionOptions } from './openai-conversations-session.ts';
export { type OpenAIEmbedderOptions, openaiEmbedder } from './openai-embedder.ts';
export { type OpenAIModelOptions, openaiModel } from './openai-model.ts';
export { OpenAIVectorStore, type OpenAIVectorStoreOptions, type VectorMemory } from './openai-vector-store.ts';
