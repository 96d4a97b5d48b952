export { type AiSdkEmbedderOptions, aiSdkEmbedder } from './ai-sdk-embedder.ts';
export { aiSdkModel } from './ai-sdk-model.ts';
export type { ChatRequest } from './chat/chat-request.ts';
export type { ChatStreamOptions, ChatTurn } from './chat/chat-turn.ts';
export {
  type ChatNames,
  type ConversationChat,
  type ConversationChatOptions,
  type Conversations,
  conversationChat,
} from './chat/conversation-chat.ts';
export { type CallContext, type ContextMiddlewareOptions, contextMiddleware } from './context-middleware.ts';
export { type MemoryMiddlewareOptions, memoryMiddleware } from './memory-middleware.ts';
export { memoryTools } from './memory-tools.ts';
export type { RunMemory } from './run-memory.ts';
export { type WorkspaceMiddlewareOptions, workspaceMiddleware, workspaceTools } from './workspace-middleware.ts';
