export type { ConversationsClient } from './openai-client.ts';
export { OpenAIConversationsSession, type OpenAIConversationsSessionOptions } from './openai-conversations-session.ts';
