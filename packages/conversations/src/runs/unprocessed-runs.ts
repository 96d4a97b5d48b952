import { estimateTokens } from '@keepsake/internal';
import type { Run } from './run.ts';
import type { RunRecords } from './run-records.ts';
import type { Progress } from './session-records.ts';

/** Completed runs that are not processed yet. */
export interface Unprocessed {
  /** In the order of their `seq`. */
  readonly runs: readonly Run[];
  /** The `seq` of the last of them. */
  readonly throughSeq: number;
}

/**
 * The completed runs after the recorded progress, up to a `seq` and about `maxTokens` tokens, plus earlier runs that
 * completed later. Reads each by its `seq`, so the cost depends only on new runs.
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

/** The progress after processing some runs. Late runs that were not among them stay pending. */
export function progressAfter(known: Progress, { runs, throughSeq }: Unprocessed): Progress {
  const done = new Set(runs.map(({ seq }) => seq));
  return { throughSeq, late: known.late.filter((seq) => !done.has(seq)) };
}

/** The maximum number of pending late runs. There is hardly ever more than one. */
const MAX_LATE = 100;

/** Records that a run completes that was skipped before. */
export function noteLate({ throughSeq, late }: Progress, seq: number): Progress {
  return { throughSeq, late: [...late.filter((other) => other !== seq), seq].slice(-MAX_LATE) };
}

export const NO_PROGRESS: Progress = { throughSeq: 0, late: [] };
