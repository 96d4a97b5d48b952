import { memoryMiddleware } from '@keepsake/ai-sdk';
import { MemoryManager } from '@keepsake/core';
import { PrismaStore } from '@keepsake/prisma';
import {
  consumeStream,
  convertToModelMessages,
  createUIMessageStreamResponse,
  gateway,
  streamText,
  toUIMessageStream,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { prisma } from '../../../lib/prisma.ts';
import { userOf } from '../../../lib/user.ts';

// One for the whole server, not for each request.
const store = new PrismaStore({ prisma, name: 'chats', extraction: true });
// With an outbox, a turn that was answered is learned, even if the function ends the moment after.
const memory = new MemoryManager({ stores: [store], outbox: store });

/** Answers a message of `useChat` with what the user has said in any chat. */
export async function POST(request: Request): Promise<Response> {
  await memory.ready();
  const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] };
  const own = memory.for({ user: await userOf(request) });
  const model = wrapLanguageModel({
    model: gateway('openai/gpt-5-mini'),
    middleware: memoryMiddleware(own, { conversationId: id }),
  });
  const { stream } = streamText({ model, messages: await convertToModelMessages(messages) });
  // `consumeSseStream` lets the answer end, and be learned, even if the client disconnects.
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }), consumeSseStream: consumeStream });
}
