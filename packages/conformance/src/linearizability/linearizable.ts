/** A call of a concurrent history. */
export interface RecordedCall<Call> {
  readonly client: number;
  readonly call: Call;
  /** The result as comparable text; `undefined` if it is unknown whether the call took effect. */
  readonly outcome: string | undefined;
  /** When the call began and when it returned, on one clock that ticks at every event. */
  readonly start: number;
  readonly end: number;
}

/** What the calls do if they run one after the other. */
export interface SequentialModel<State, Call> {
  readonly initial: State;
  /**
   * The state after a call, and the result as comparable text. `observed` is what the store returned, for what a model leaves to
   * the store; `undefined` if that is unknown.
   */
  apply(state: State, call: Call, observed: string | undefined): { readonly state: State; readonly outcome: string };
  /** Equal for equal states. */
  key(state: State): string;
}

/**
 * Searches an order of the calls that explains all results: each call takes effect at one moment between its start and its
 * end. Calls with an unknown outcome may take effect at any moment after their start, or never.
 *
 * The search is that of Wing and Gong (1993) with the cache of Lowe (2017): a state that was reached with the same calls
 * before is not searched again. Exponential at worst, so histories must be short: up to some 60 calls of 5 clients.
 *
 * @returns `undefined` if there is such an order; otherwise the most calls that one explains.
 */
export function unexplained<State, Call>(
  history: readonly RecordedCall<Call>[],
  model: SequentialModel<State, Call>,
): { readonly explained: readonly RecordedCall<Call>[] } | undefined {
  const calls = history.toSorted((a, b) => a.start - b.start);
  const required = calls.filter(({ outcome }) => outcome !== undefined).length;
  const seen = new Set<string>();
  let best: readonly RecordedCall<Call>[] = [];

  const search = (state: State, done: readonly RecordedCall<Call>[], left: readonly RecordedCall<Call>[]): boolean => {
    if (done.filter(({ outcome }) => outcome !== undefined).length === required) return true;
    const cached = `${left.map(({ start }) => start).join()} ${model.key(state)}`;
    if (seen.has(cached)) return false;
    seen.add(cached);
    if (done.length > best.length) best = done;
    // The next call in the order can't have begun after another one returned.
    const firstEnd = Math.min(...left.map(endOf));
    for (const next of left) {
      if (next.start > firstEnd) break;
      const { state: after, outcome } = model.apply(state, next.call, next.outcome);
      if (next.outcome !== undefined && next.outcome !== outcome) continue;
      const others = left.filter((other) => other !== next);
      if (search(after, [...done, next], others)) return true;
    }
    return false;
  };
  return search(model.initial, [], calls) ? undefined : { explained: best };
}

function endOf({ outcome, end }: RecordedCall<unknown>): number {
  return outcome === undefined ? Number.POSITIVE_INFINITY : end;
}
