import type { SessionKind } from './session-kind.ts';
import { textOf } from './turn.ts';

/** The raw limit in memory: the cheapest isolation of callers, and nothing else. */
export const rawArray: SessionKind = {
  name: 'array.push(JSON)',
  async open(_directory, begin = []) {
    const items = begin.flatMap((turn) => turn.items.map((item) => JSON.stringify(item)));
    return {
      append(turn) {
        for (const item of turn.items) items.push(JSON.stringify(item));
        return undefined;
      },
      newest: async (count) => items.slice(-count).map((item) => textOf(JSON.parse(item))),
    };
  },
};
