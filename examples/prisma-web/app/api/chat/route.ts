import { memoryMiddleware } from '@keepsake/ai-sdk';
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
import { memory } from '../../../lib/memory.ts';
import { userOf } from '../../../lib/user.ts';

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
