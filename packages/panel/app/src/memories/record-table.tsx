import { useEffect, useRef, useState } from 'preact/hooks';
import type { RecordRow } from '../../../src/protocol.ts';
import { go, type Params } from '../shell/router.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { NoRecords } from './no-records.tsx';
import { RecordLine } from './record-line.tsx';
import { keyOf, sortOf } from './selection.ts';
import type { Records } from './use-records.ts';
import type { Selected } from './use-selected.ts';
import { useWindow } from './use-window.ts';

interface RecordTableProps {
  readonly params: Params;
  readonly records: Records;
  readonly selected: Selected;
  readonly selectable: boolean;
  /** The key of the open record. */
  readonly open: string | undefined;
  readonly openHref: (row: RecordRow) => string;
  /** Whether rows can be of several namespaces. */
  readonly deep: boolean;
}

/** The memories as a table, or why there are none. */
export function RecordTable(props: RecordTableProps) {
  const { rows, loading, error, reload } = props.records;
  if (error && rows.length === 0) return <Failure error={error} retry={reload} />;
  if (rows.length === 0 && !loading) return <NoRecords params={props.params} />;
  return <RecordGrid {...props} />;
}

/**
 * A table, of which only what is seen is in the page. One element has the focus, and names the active row, so
 * that focus survives a row that is scrolled out.
 */
function RecordGrid({ params, records, selected, selectable, open, openHref, deep }: RecordTableProps) {
  const { rows, loading, error, hasMore, loadMore, setSeen } = records;
  const scroller = useRef<HTMLDivElement>(null);
  const window = useWindow(scroller, rows.length);
  const [active, setActive] = useState(0);
  useEffect(() => {
    if (window.end + 40 >= rows.length && hasMore && !loading) loadMore();
  }, [window.end, rows.length, hasMore, loading, loadMore]);
  useEffect(() => setSeen(window.start, window.end), [window.start, window.end, setSeen]);
  const place = `${params.ns} ${params.q} ${params.sort}`;
  useEffect(() => {
    setActive(0);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [place]);

  const press = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[active];
    const inView = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / window.rowHeight) - 1);
    const to = targetOf(event.key, active, rows.length, inView);
    if (to !== undefined) {
      const next = rows[to];
      if (event.shiftKey && selectable && row && next) {
        if (!selected.has(row)) selected.toggle(row);
        selected.extendTo(next);
      }
      setActive(to);
      window.scrollTo(to);
    } else if (event.key === 'Enter' && row) location.hash = openHref(row);
    else if (event.key === ' ' && row && selectable) selected.toggle(row);
    else return;
    event.preventDefault();
  };

  const hasScores = Boolean(params.q);
  const className = [
    'table',
    window.isNarrow && 'cards',
    hasScores && 'scored',
    selectable && 'selectable',
    deep && 'deep',
  ];
  return (
    <div
      class={className.filter(Boolean).join(' ')}
      ref={scroller}
      role="grid"
      aria-label="Memories"
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-multiselectable={selectable}
      aria-busy={loading === 'first'}
      aria-activedescendant={
        rows[active] && active >= window.start && active < window.end ? `row-${active}` : undefined
      }
      tabIndex={0}
      onKeyDown={press}
    >
      <Head params={params} selectable={selectable} deep={deep} />
      {rows.length === 0 ? (
        <Skeleton lines={12} />
      ) : (
        <div class="rows" role="rowgroup" style={{ height: `${rows.length * window.rowHeight}px` }}>
          {rows.slice(window.start, window.end).map((row, offset) => {
            const index = window.start + offset;
            return (
              <RecordLine
                key={keyOf(row)}
                row={row}
                index={index}
                top={index * window.rowHeight}
                isActive={index === active}
                isOpen={keyOf(row) === open}
                isSelected={selected.has(row)}
                selected={selectable ? selected : undefined}
                deep={deep}
                scored={hasScores}
                href={openHref(row)}
                activate={setActive}
              />
            );
          })}
        </div>
      )}
      {error && rows.length > 0 && <Failure error={error} retry={loadMore} />}
    </div>
  );
}

function targetOf(key: string, from: number, count: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    j: 1,
    ArrowUp: -1,
    k: -1,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.min(count - 1, Math.max(0, from + step));
}

interface HeadProps {
  readonly params: Params;
  readonly selectable: boolean;
  readonly deep: boolean;
}

function Head({ params, selectable, deep }: HeadProps) {
  const sort = sortOf(params);
  const other = sort === 'newest' ? 'oldest' : 'newest';
  return (
    <div class="head" role="rowgroup">
      <div class="line" role="row">
        {selectable && (
          <span class="cell tick" role="columnheader">
            <span class="hidden">Selected</span>
          </span>
        )}
        {params.q && (
          <span class="cell score" role="columnheader" aria-sort={sort === 'best' ? 'descending' : 'none'}>
            Score
          </span>
        )}
        <span class="cell content" role="columnheader">
          Memory
        </span>
        {deep && (
          <span class="cell place" role="columnheader">
            Namespace
          </span>
        )}
        <span class="cell kind" role="columnheader">
          Kind
        </span>
        <span class="cell speaker" role="columnheader">
          Speaker
        </span>
        <span
          class="cell created"
          role="columnheader"
          aria-sort={sort === 'oldest' ? 'ascending' : sort === 'newest' ? 'descending' : 'none'}
        >
          <button type="button" tabIndex={-1} onClick={() => go('memories', { ...params, sort: other }, 'replace')}>
            Created {sort === 'oldest' ? '↑' : sort === 'newest' ? '↓' : ''}
          </button>
        </span>
      </div>
    </div>
  );
}
