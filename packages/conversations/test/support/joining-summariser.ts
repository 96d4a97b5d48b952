import type { SummaryInput } from '../../src/index.ts';

/** A summary with one line per message, which shows whether each message was summarised exactly once. */
export function joined({ previous, said }: SummaryInput): string {
  return [...(previous === undefined ? [] : [previous]), ...said.map(({ text }) => text)].join('\n');
}
