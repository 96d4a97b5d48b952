/** How far a summary or a profile has come. */
export interface Progress {
  /** The last processed run. */
  readonly throughSeq: number;
  /** Earlier runs that are not processed yet, because they completed later or were set aside. */
  readonly late: readonly number[];
  /** How many times runs have failed, by `seq`. */
  readonly failed?: Readonly<Record<string, number>>;
  /** Up to this run, steps are small, because one with several runs has failed. */
  readonly narrowThrough?: number;
  /** The newest runs that were given up. */
  readonly skipped?: readonly number[];
}

export const NO_PROGRESS: Progress = { throughSeq: 0, late: [] };

/** After this many failures, the last of them alone, a run is set aside. */
const SET_ASIDE_AFTER = 3;

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

/** The runs that were set aside, in order. */
export function setAside(progress: Progress): number[] {
  return Object.keys(progress.failed ?? {})
    .map(Number)
    .filter((seq) => isSetAside(progress, seq))
    .sort((a, b) => a - b);
}

/** The progress after a step. Late runs that it did not process stay pending. */
export function afterStep(known: Progress, { throughSeq, done, passed }: Step): Progress {
  const late = [...known.late, ...passed].filter((seq) => !done.includes(seq));
  return progress({ ...known, throughSeq, late: unique(late), failed: without(known.failed, done) });
}

/** The progress after a failure of a step. The failure counts for its first run. */
export function afterFailure(known: Progress, { done, throughSeq }: Step): Progress {
  const [seq = 0] = done;
  if (!(seq in (known.failed ?? {})) && Object.keys(known.failed ?? {}).length >= MAX_RUNS) return known;
  const failed = { ...known.failed, [seq]: triesOf(known, seq) + 1 };
  return progress({ ...known, failed, ...(done.length > 1 ? { narrowThrough: throughSeq } : {}) });
}

/** The progress after a run was given up. */
export function afterSkip(known: Progress, seq: number): Progress {
  return progress({
    ...known,
    late: known.late.filter((other) => other !== seq),
    failed: without(known.failed, [seq]),
    skipped: unique([...(known.skipped ?? []), seq]),
  });
}

/** Records that a run completes that was skipped before. */
export function noteLate(known: Progress, seq: number): Progress {
  return { ...known, late: unique([...known.late, seq]) };
}

/** Without empty fields, because a session is written with each run. */
function progress({ throughSeq, late, failed = {}, narrowThrough = 0, skipped = [] }: Progress): Progress {
  return {
    throughSeq,
    late,
    ...(narrowThrough > throughSeq ? { narrowThrough } : {}),
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
