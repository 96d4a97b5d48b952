import { conversationChat } from '@keepsake/ai-sdk';
import { ConversationMemory } from '@keepsake/conversations';
import { isMemoryError } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { tool } from 'ai';
import { z } from 'zod';
import { localMemoryModel } from './local-memory-model.ts';

// One of each for the whole server, not for each request.
const store = new FileStore({ directory: process.env.KEEPSAKE_DIRECTORY ?? '.keepsake/next-chat', name: 'chats' });
export const memory = new ConversationMemory({
  store,
  model: localMemoryModel,
  fullSessionMemory: true,
  userAnalysisMemory: true,
  load: { lastTurns: 20 },
  // If the server is killed, its answers can be asked for again after this time.
  staleAfterMs: 30_000,
});
export const chat = conversationChat(memory);

export const tools = {
  refund: tool({
    description: 'Refunds an order. A person has to approve it.',
    inputSchema: z.object({ order: z.string() }),
    needsApproval: true,
    execute: ({ order }) => `The money for order ${order} is on its way.`,
  }),
};

/** The user who is signed in. In your app, ask your session: never believe a header of the client. */
export function userOf(request: Request): string {
  return request.headers.get('x-user') ?? 'guest';
}

/** Turns the errors that a client can cause into responses. */
export async function orRefuse(respond: () => Promise<Response>): Promise<Response> {
  try {
    return await respond();
  } catch (error) {
    if (isMemoryError(error, 'INVALID_ARGUMENT')) return new Response(error.message, { status: 400 });
    if (error instanceof SyntaxError) return new Response('The body must be JSON.', { status: 400 });
    if (isMemoryError(error, 'CONFLICT')) return new Response(error.message, { status: 409 });
    throw error;
  }
}
