import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { localAnswer } from './local-answer.ts';

/** A local model that needs no API key. */
export function localModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const delta = localAnswer(JSON.stringify(prompt.at(-1)?.content).replaceAll('\\"', '"'));
      const usage = {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      };
      const chunks = [
        { type: 'text-start' as const, id: 'answer' },
        { type: 'text-delta' as const, id: 'answer', delta },
        { type: 'text-end' as const, id: 'answer' },
        { type: 'finish' as const, finishReason: { unified: 'stop' as const, raw: undefined }, usage },
      ];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
}
