import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { PATHS, type RecordRow, type RecordsPage } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { type Pages, usePages } from '../api/use-pages.ts';
import type { Params } from '../shell/router.ts';
import { queryOf, sortRows } from './selection.ts';

/** The rows of the table, and how they follow what happens in the store. */
export interface Records extends Pages<RecordRow> {
  readonly rows: readonly RecordRow[];
  readonly tookMs: number | undefined;
  /** Whether the store changed, and the rows don't show it yet since the reader is in the middle of them. */
  readonly isStale: boolean;
  /** Loads again if that moves nothing under the reader's eyes, else sets `isStale`. */
  refresh(): void;
  /** The rows that the reader sees. */
  seen(): readonly RecordRow[];
  /** The table tells where the reader is. */
  setSeen(start: number, end: number): void;
}

export function useRecords(params: Params): Records {
  const query = queryOf(params);
  const [tookMs, setTookMs] = useState<number>();
  const [isStale, setStale] = useState(false);
  const range = useRef({ start: 0, end: 0 });
  const pages = usePages<RecordRow>(JSON.stringify(query), async (cursor, signal) => {
    const page = await get<RecordsPage>(PATHS.records, { ...query, cursor }, signal);
    setTookMs(page.tookMs);
    if (cursor === undefined) setStale(false);
    return page;
  });
  const { items, reload } = pages;
  const rows = useMemo(() => sortRows(items, params), [items, items.length, params.sort, params.q]);
  const refresh = useCallback(() => {
    if (range.current.start === 0) reload();
    else setStale(true);
  }, [reload]);
  const seen = () => rows.slice(range.current.start, range.current.end);
  const setSeen = useCallback((start: number, end: number) => {
    range.current = { start, end };
  }, []);
  return { ...pages, rows, tookMs, isStale, refresh, seen, setSeen };
}
