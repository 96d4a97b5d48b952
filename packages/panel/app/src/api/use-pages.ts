import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { PageOf } from '../../../src/protocol.ts';
import { asError } from './use-loaded.ts';

/** A list that is loaded page by page. */
export interface Pages<T> {
  /** The same array grows with each page: look at its length, too, to see whether there is more. */
  readonly items: readonly T[];
  readonly error: Error | undefined;
  /** Whether a page is on its way. `first` until there is one. */
  readonly loading: 'first' | 'more' | false;
  readonly hasMore: boolean;
  loadMore(): void;
  /** Loads the first page again. What is shown stays until it is there. */
  reload(): void;
}

interface State<T> {
  readonly items: T[];
  readonly cursor?: string | undefined;
  readonly error?: Error | undefined;
  readonly loading: 'first' | 'more' | false;
}

type LoadPage<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>;

/** Loads the list that `key` names. A new key keeps what is shown until its first page is there, for searches while typing. */
export function usePages<T>(key: string, load: LoadPage<T>): Pages<T> {
  const [state, setState] = useState<State<T>>({ items: [], loading: 'first' });
  const [round, setRound] = useState(0);
  const inFlight = useRef<AbortController>(undefined);
  const latest = useRef({ load, state });
  latest.current = { load, state };

  const loadFrom = useCallback((cursor: string | undefined) => {
    inFlight.current?.abort();
    const controller = new AbortController();
    inFlight.current = controller;
    setState((before) => ({ ...before, error: undefined, loading: cursor === undefined ? 'first' : 'more' }));
    latest.current.load(cursor, controller.signal).then(
      (page) => {
        if (controller.signal.aborted) return;
        const items = cursor === undefined ? [] : latest.current.state.items;
        // In place: a copy of 100,000 rows for each page would keep the garbage collector busy while somebody scrolls.
        items.push(...page.items);
        setState({ items, cursor: page.cursor, loading: false });
      },
      (error) => {
        if (controller.signal.aborted) return;
        setState(({ items }) => ({ items: cursor === undefined ? [] : items, error: asError(error), loading: false }));
      },
    );
  }, []);

  useEffect(() => {
    loadFrom(undefined);
    return () => inFlight.current?.abort();
  }, [key, round, loadFrom]);

  const loadMore = useCallback(() => {
    const { cursor, loading } = latest.current.state;
    if (cursor !== undefined && !loading) loadFrom(cursor);
  }, [loadFrom]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const { items, error, loading, cursor } = state;
  return { items, error, loading, hasMore: cursor !== undefined, loadMore, reload };
}
