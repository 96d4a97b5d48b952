import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import type { StreamPart } from '../../src/messages.ts';

/** The model's reply to one call: text, tool calls, a failure, or a stream that never ends. */
export type Reply = string | readonly ToolCall[] | Error | { readonly begins: string };
interface ToolCall {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** A scripted model for the AI SDK, streaming or not. */
export function scriptedModel(...replies: Reply[]): MockLanguageModelV4 {
  let calls = 0;
  const next = () => {
    const reply = replies[calls++] ?? new Error('The script of the model has no more replies.');
    if (reply instanceof Error) throw reply;
    if (typeof reply === 'object' && 'begins' in reply) return { begins: reply.begins };
    const unified = typeof reply === 'string' ? ('stop' as const) : ('tool-calls' as const);
    return { parts: partsOf(reply, calls), finishReason: { unified, raw: undefined } };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const { parts, finishReason, begins } = next();
      if (begins !== undefined) throw new Error('Only a stream can be endless.');
      return { content: parts, finishReason, usage: USAGE, warnings: [] };
    },
    doStream: async ({ abortSignal }) => {
      const { parts, finishReason, begins } = next();
      if (begins !== undefined) return { stream: endless(begins, abortSignal) };
      const streamed = parts.flatMap((part): StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start' as const, id: 'text' },
              ...part.text.split(/(?<= )/).map((delta) => ({ type: 'text-delta' as const, id: 'text', delta })),
              { type: 'text-end' as const, id: 'text' },
            ]
          : [part],
      );
      const chunks = [
        { type: 'stream-start' as const, warnings: [] },
        ...streamed,
        { type: 'finish' as const, finishReason, usage: USAGE },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}

function endless(text: string, abortSignal: AbortSignal | undefined) {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start' as const, warnings: [] });
      controller.enqueue({ type: 'text-start' as const, id: 'text' });
      controller.enqueue({ type: 'text-delta' as const, id: 'text', delta: text });
      abortSignal?.addEventListener('abort', () => controller.error(abortSignal.reason));
    },
  });
}

function partsOf(reply: string | readonly ToolCall[], call: number) {
  if (typeof reply === 'string') return [{ type: 'text' as const, text: reply }];
  return reply.map(({ tool, input }, index) => ({
    type: 'tool-call' as const,
    toolCallId: `call-${call}-${index}`,
    toolName: tool,
    input: JSON.stringify(input),
  }));
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
