import { estimateTokens } from '@keepsake/core';
import type { Run } from './run.ts';
import type { RunRecords } from './run-records.ts';
import type { Progress } from './session-records.ts';

/** Completed runs of which something is still to be made. */
export interface Unprocessed {
  /** In the order of their `seq`. */
  readonly runs: readonly Run[];
  /** How far that goes. */
  readonly throughSeq: number;
}

/**
 * The completed runs after those that are in the progress, up to a `seq` and to about so many tokens, and those before
 * that completed later. Each is read by its `seq`: it costs what is new, however many are old.
 */
export async function unprocessedRuns(
  records: RunRecords,
  { throughSeq, late }: Progress,
  upTo: number,
  maxTokens: number,
): Promise<Unprocessed> {
  const runs: Run[] = [];
  let tokens = 0;
  const take = async (seq: number) => {
    const run = await records.get(seq);
    if (run?.status !== 'completed') return;
    runs.push(run);
    tokens += estimateTokens(JSON.stringify(run.items));
  };
  for (const seq of late) if (seq <= throughSeq) await take(seq);
  let through = throughSeq;
  while (through < upTo && tokens < maxTokens) await take(++through);
  return { runs: runs.sort((a, b) => a.seq - b.seq), throughSeq: through };
}

/** The progress after some runs: of those that completed late, the ones that were not among them are still to come. */
export function progressAfter(known: Progress, { runs, throughSeq }: Unprocessed): Progress {
  const done = new Set(runs.map(({ seq }) => seq));
  return { throughSeq, late: known.late.filter((seq) => !done.has(seq)) };
}

/** So many are remembered. Each is a run that was about to complete, so that there are hardly ever more than one. */
const MAX_LATE = 100;

/** Notes that a run completes that was passed by before. */
export function noteLate({ throughSeq, late }: Progress, seq: number): Progress {
  return { throughSeq, late: [...late.filter((other) => other !== seq), seq].slice(-MAX_LATE) };
}

export const NO_PROGRESS: Progress = { throughSeq: 0, late: [] };
