/** How far a summary or a profile has come. */
export interface Progress {
  /** The last processed run. */
  readonly throughSeq: number;
  /** Earlier runs that are not processed yet, because they completed later or were set aside. */
  readonly late: readonly number[];
  /** How many times runs have failed, by `seq`. */
  readonly failed?: Readonly<Record<string, number>>;
  /** Up to this run, each is tried alone, because a step with several has failed. */
  readonly aloneThrough?: number;
  /** The newest runs that were given up. */
  readonly skipped?: readonly number[];
}

export const NO_PROGRESS: Progress = { throughSeq: 0, late: [] };

/** A run that failed this often is set aside: it is tried alone, after the others. */
export const SET_ASIDE_AFTER = 2;

/** The maximum length of each list. There is hardly ever more than one late or failed run. */
const MAX_RUNS = 1_000;

/** What a step has processed. */
export interface Step {
  readonly throughSeq: number;
  readonly done: readonly number[];
  /** Runs up to `throughSeq` that were set aside. */
  readonly passed: readonly number[];
}

/** Whether a run was processed or passed over for good. */
export function includes({ throughSeq, late }: Progress, seq: number): boolean {
  return seq <= throughSeq && !late.includes(seq);
}

export function triesOf({ failed }: Progress, seq: number): number {
  return failed?.[seq] ?? 0;
}

export function isSetAside(progress: Progress, seq: number): boolean {
  return triesOf(progress, seq) >= SET_ASIDE_AFTER;
}

/** The progress after a step. Late runs that it did not process stay pending. */
export function afterStep(storedProgress: Progress, { throughSeq, done, passed }: Step): Progress {
  const late = unique([...storedProgress.late, ...passed]).filter((seq) => !done.includes(seq));
  return progress({ ...storedProgress, throughSeq, late, failed: without(storedProgress.failed, done) });
}

/** The progress after a failure of a step. The failure counts for its first run. */
export function afterFailure(storedProgress: Progress, { done, throughSeq }: Step): Progress {
  const [seq = 0] = done;
  const { failed = {} } = storedProgress;
  if (!(seq in failed) && Object.keys(failed).length >= MAX_RUNS) return storedProgress;
  const counted = { ...storedProgress, failed: { ...failed, [seq]: triesOf(storedProgress, seq) + 1 } };
  return progress(done.length > 1 ? { ...counted, aloneThrough: throughSeq } : counted);
}

/** The progress after a run was given up. */
export function afterSkip(storedProgress: Progress, seq: number): Progress {
  return progress({
    ...storedProgress,
    late: storedProgress.late.filter((other) => other !== seq),
    failed: without(storedProgress.failed, [seq]),
    skipped: unique([...(storedProgress.skipped ?? []), seq]),
  });
}

/** Records that a run completes that was skipped before. */
export function noteLate(storedProgress: Progress, seq: number): Progress {
  return { ...storedProgress, late: unique([...storedProgress.late, seq]) };
}

/** Without empty fields, because a session is written with each run. */
function progress({ throughSeq, late, failed = {}, aloneThrough = 0, skipped = [] }: Progress): Progress {
  return {
    throughSeq,
    late,
    ...(aloneThrough > throughSeq ? { aloneThrough } : {}),
    ...(Object.keys(failed).length === 0 ? {} : { failed }),
    ...(skipped.length === 0 ? {} : { skipped }),
  };
}

function without(failed: Progress['failed'] = {}, done: readonly number[]): Record<string, number> {
  return Object.fromEntries(Object.entries(failed).filter(([seq]) => !done.includes(Number(seq))));
}

function unique(seqs: readonly number[]): number[] {
  return [...new Set(seqs)].slice(-MAX_RUNS);
}
