import {
  consumeStream,
  convertToModelMessages,
  createUIMessageStreamResponse,
  gateway,
  isStepCount,
  streamText,
  toUIMessageStream,
} from 'ai';
import { chat, orRefuse, tools, userOf } from '../../../src/chat.ts';
import { localModel } from '../../../src/local-model.ts';

const model = process.env.AI_GATEWAY_API_KEY ? gateway('openai/gpt-5-mini') : localModel();

/** Answers a message of `useChat`, and keeps it with its answer. */
export async function POST(request: Request): Promise<Response> {
  return orRefuse(async () => {
    const stream = await chat.answer(await request.json(), { userId: userOf(request) }, async (turn) => {
      const { stream } = streamText({
        model,
        instructions: `You help customers.\n\n${turn.instructions}`,
        messages: await convertToModelMessages(turn.messages, { tools }),
        tools,
        stopWhen: isStepCount(5),
        abortSignal: turn.abortSignal,
      });
      return toUIMessageStream({ stream, ...turn.streamOptions });
    });
    // `consumeSseStream` lets the answer end, and be kept, even if the client disconnects.
    return createUIMessageStreamResponse({ stream, consumeSseStream: consumeStream });
  });
}
