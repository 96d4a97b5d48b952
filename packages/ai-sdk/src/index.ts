export { type AiSdkEmbedderOptions, aiSdkEmbedder } from './ai-sdk-embedder.ts';
export { aiSdkModel } from './ai-sdk-model.ts';
export { type CallContext, type ContextMiddlewareOptions, contextMiddleware } from './context-middleware.ts';
export { type MemoryMiddlewareOptions, memoryMiddleware } from './memory-middleware.ts';
export { memoryTools } from './memory-tools.ts';
