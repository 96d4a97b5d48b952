import type { JsonObject } from '@keepsake/core';
import type { ProfileInput, SummaryInput } from '../../src/index.ts';

/** A summary with one line per message, which shows whether each message was summarised exactly once. */
export function joined({ previous, said }: SummaryInput): string {
  return [...(previous === undefined ? [] : [previous]), ...said.map(({ text }) => text)].join('\n');
}

/** A summariser and a profiler that keep each message as it is, and count their calls. */
export function joining() {
  const calls = { summary: 0, profile: 0 };
  return {
    calls,
    summariser: {
      async summarise(input: SummaryInput) {
        calls.summary++;
        return joined(input);
      },
    },
    profiler: {
      async analyse({ known, said }: ProfileInput): Promise<JsonObject> {
        calls.profile++;
        return { goals: [...((known.goals as string[] | undefined) ?? []), ...said.map(({ text }) => text)] };
      },
    },
  };
}
