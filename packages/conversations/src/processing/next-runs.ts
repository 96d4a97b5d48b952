import type { Run } from '../runs/run.ts';
import type { RunRecords } from '../runs/run-records.ts';
import { isSetAside, type Progress, type Step } from './progress.ts';

/** Completed runs that are not processed yet, in the order of their `seq`. */
export interface NextRuns extends Step {
  readonly runs: readonly Run[];
}

/** The limits of a step. */
export interface StepLimits {
  readonly upTo: number;
  /** A single run may have more. */
  readonly maxTokens: number;
  tokensOf(run: Run): number;
}

/**
 * The next runs to process: earlier runs that completed later, and those after the recorded progress, up to a `seq` and the
 * limits. Reads each by its `seq`, so the cost depends only on new runs. Leaves out runs that have failed twice.
 */
export async function nextRuns(
  records: RunRecords,
  progress: Progress,
  limits: StepLimits,
): Promise<NextRuns | undefined> {
  const runs: Run[] = [];
  const passed: number[] = [];
  const maxRuns = (progress.aloneThrough ?? 0) > progress.throughSeq ? 1 : Infinity;
  let tokens = 0;
  /** Returns whether the step can continue with the next run. */
  const take = async (seq: number): Promise<boolean> => {
    const run = await records.get(seq);
    if (run?.status !== 'completed') return true;
    const size = limits.tokensOf(run);
    if (runs.length >= maxRuns || (runs.length > 0 && tokens + size > limits.maxTokens)) return false;
    tokens += size;
    runs.push(run);
    return true;
  };
  let isOpen = true;
  const late = progress.late.filter((seq) => seq <= progress.throughSeq && !isSetAside(progress, seq));
  for (const seq of late.sort((a, b) => a - b)) isOpen &&= await take(seq);
  let { throughSeq } = progress;
  while (isOpen && throughSeq < limits.upTo) {
    const seq = throughSeq + 1;
    if (isSetAside(progress, seq)) passed.push(seq);
    else if (!progress.skipped?.includes(seq)) isOpen = await take(seq);
    if (isOpen) throughSeq = seq;
  }
  if (runs.length === 0) return undefined;
  runs.sort((a, b) => a.seq - b.seq);
  return { runs, throughSeq, passed, done: runs.map(({ seq }) => seq) };
}

/** The first run that was set aside, except some, to try it again alone. */
export async function nextSetAside(
  records: RunRecords,
  progress: Progress,
  except: ReadonlySet<number>,
): Promise<NextRuns | undefined> {
  const failed = Object.keys(progress.failed ?? {}).map(Number);
  const [seq] = failed.filter((one) => isSetAside(progress, one) && !except.has(one)).sort((a, b) => a - b);
  if (seq === undefined) return undefined;
  const run = await records.get(seq);
  return { runs: run === undefined ? [] : [run], throughSeq: progress.throughSeq, passed: [], done: [seq] };
}
