import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RecordRow } from '../../../src/protocol.ts';
import { keyOf } from './selection.ts';

/** The rows that are ticked. */
export interface Selected {
  readonly rows: readonly RecordRow[];
  has(row: RecordRow): boolean;
  toggle(row: RecordRow): void;
  /** Ticks all rows between the last one that was toggled and this one. */
  extendTo(row: RecordRow): void;
  clear(): void;
}

/** @param place - Another place starts with nothing selected. */
export function useSelected(all: readonly RecordRow[], place: string): Selected {
  const [chosen, setChosen] = useState<ReadonlyMap<string, RecordRow>>(new Map());
  const anchor = useRef<string>(undefined);
  // Not a dependency of what is returned: rows would all render again with each page that is loaded.
  const latest = useRef(all);
  latest.current = all;
  useEffect(() => setChosen(new Map()), [place]);
  const toggle = useCallback((row: RecordRow) => {
    const key = keyOf(row);
    anchor.current = key;
    setChosen((before) => {
      const after = new Map(before);
      if (!after.delete(key)) after.set(key, row);
      return after;
    });
  }, []);
  const extendTo = useCallback((row: RecordRow) => {
    const keys = [anchor.current, keyOf(row)];
    const rows = latest.current;
    const ends = keys.map((key) => rows.findIndex((other) => keyOf(other) === key)).filter((index) => index >= 0);
    const between = rows.slice(Math.min(...ends), Math.max(...ends) + 1);
    setChosen((before) => new Map([...before, ...between.map((each) => [keyOf(each), each] as const)]));
  }, []);
  const clear = useCallback(() => setChosen(new Map()), []);
  return useMemo(
    () => ({ rows: [...chosen.values()], has: (row) => chosen.has(keyOf(row)), toggle, extendTo, clear }),
    [chosen, toggle, extendTo, clear],
  );
}
