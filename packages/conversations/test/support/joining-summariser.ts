import type { SummaryInput } from '../../src/index.ts';

/** A summary that says everything, a line each: what is missing in it was not summarised, what comes twice was twice. */
export function joined({ previous, said }: SummaryInput): string {
  return [...(previous === undefined ? [] : [previous]), ...said.map(({ text }) => text)].join('\n');
}
