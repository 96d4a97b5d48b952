import type { Run } from '../runs/run.ts';
import type { RunRecords } from '../runs/run-records.ts';
import { isSetAside, type Progress, type Step, setAside, triesOf } from './progress.ts';

/** Completed runs that are not processed yet, in the order of their `seq`. */
export interface NextRuns extends Step {
  readonly runs: readonly Run[];
}

/** The limits of a step. */
export interface StepLimits {
  readonly upTo: number;
  readonly maxRuns: number;
  /** A single run may have more. */
  readonly maxTokens: number;
  tokensOf(run: Run): number;
}

/** A run that failed this often is tried alone. */
const ALONE_AFTER = 2;

/**
 * The next runs to process: earlier runs that completed later, and those after the recorded progress, up to a `seq` and the
 * limits. Reads each by its `seq`, so the cost depends only on new runs. Passes over runs that were set aside.
 */
export async function nextRuns(
  records: RunRecords,
  progress: Progress,
  limits: StepLimits,
): Promise<NextRuns | undefined> {
  const runs: Run[] = [];
  const passed: number[] = [];
  let { maxRuns } = limits;
  let tokens = 0;
  const isFull = () => runs.length >= maxRuns || (runs.length > 0 && tokens >= limits.maxTokens);
  /** Returns whether the step can continue with the next run. */
  const take = async (seq: number): Promise<boolean> => {
    const run = await records.get(seq);
    if (run?.status !== 'completed') return true;
    const isAlone = triesOf(progress, seq) >= ALONE_AFTER;
    const size = limits.tokensOf(run);
    if (runs.length > 0 && (isAlone || tokens + size > limits.maxTokens)) return false;
    if (isAlone) maxRuns = 1;
    tokens += size;
    runs.push(run);
    return true;
  };
  let isOpen = true;
  for (const seq of progress.late.toSorted((a, b) => a - b)) {
    if (seq > progress.throughSeq || isSetAside(progress, seq)) continue;
    if (isOpen && !isFull()) isOpen = await take(seq);
  }
  let throughSeq = progress.throughSeq;
  while (isOpen && throughSeq < limits.upTo && !isFull()) {
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
  except: (seq: number) => boolean,
): Promise<NextRuns | undefined> {
  const seq = setAside(progress).find((one) => !except(one));
  if (seq === undefined) return undefined;
  const run = await records.get(seq);
  return { runs: run === undefined ? [] : [run], throughSeq: progress.throughSeq, passed: [], done: [seq] };
}
