import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';

type CallOptions = MockLanguageModelV4['doStreamCalls'][number];
type Chunk =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** A local model that needs no API key. It refunds orders, and knows the user by the profile. */
export function localModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async (options) => ({
      stream: simulateReadableStream({ chunks: [...answer(options), finish(options)] }),
    }),
  });
}

function answer({ prompt }: CallOptions): Chunk[] {
  const last = JSON.stringify(prompt.at(-1)?.content);
  const order = /[Rr]efund (\w+)/.exec(last)?.[1];
  if (prompt.at(-1)?.role === 'user' && order !== undefined) {
    const input = JSON.stringify({ order });
    return [{ type: 'tool-call', toolCallId: `refund-${order}-${prompt.length}`, toolName: 'refund', input }];
  }
  const result = /The money for order \w+ is on its way\./.exec(last)?.[0];
  const name = /- name: (\w+)/.exec(JSON.stringify(prompt[0]?.content))?.[1];
  const delta = result ?? (name === undefined ? 'How can I help?' : `How can I help, ${name}?`);
  return [
    { type: 'text-start', id: 'answer' },
    { type: 'text-delta', id: 'answer', delta },
    { type: 'text-end', id: 'answer' },
  ];
}

function finish(options: CallOptions): Chunk {
  const unified = answer(options).some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
  const usage = {
    inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  };
  return { type: 'finish', finishReason: { unified, raw: undefined }, usage };
}
