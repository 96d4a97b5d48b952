import { useCallback, useEffect, useState } from 'preact/hooks';

/** What a view shows of a request. */
export interface Loaded<T> {
  /** Stays while the same thing is loaded again, so that nothing jumps. */
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly loading: boolean;
  reload(): void;
}

interface State<T> {
  readonly key: string | undefined;
  readonly data?: T | undefined;
  readonly error?: Error | undefined;
  readonly loading: boolean;
}

/**
 * Loads what `key` names, and again when the key changes or `reload` is called. The answer to an earlier key is dropped.
 *
 * @param key - `undefined` loads nothing.
 */
export function useLoaded<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ key, loading: key !== undefined });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (key === undefined) return setState({ key, loading: false });
    const controller = new AbortController();
    setState((before) => ({ key, data: before.key === key ? before.data : undefined, loading: true }));
    load(controller.signal).then(
      (data) => controller.signal.aborted || setState({ key, data, loading: false }),
      (error) =>
        controller.signal.aborted ||
        setState((before) => ({ key, data: before.data, error: asError(error), loading: false })),
    );
    return () => controller.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const current = state.key === key ? state : { loading: key !== undefined };
  return { data: undefined, error: undefined, ...current, reload };
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
