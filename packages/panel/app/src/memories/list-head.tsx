import type { NamespaceNode } from '../../../src/protocol.ts';
import { go, type Params } from '../shell/router.ts';
import { formatCount, plural } from '../ui/format.ts';
import { Text } from '../ui/text.tsx';
import { countFilters, isDeep, type Sort, sortOf } from './selection.ts';
import type { Records } from './use-records.ts';
import type { Selected } from './use-selected.ts';

interface ListHeadProps {
  readonly params: Params;
  readonly records: Records;
  readonly node: NamespaceNode | undefined;
  readonly selected: Selected;
  /** Missing where nothing can be changed. */
  readonly deleteSelected: (() => void) | undefined;
  readonly deleteMatching: (() => void) | undefined;
}

/** Above the table: how many there are, how they are sorted, and what can be done with those that are selected. */
export function ListHead({ params, records, node, selected, deleteSelected, deleteMatching }: ListHeadProps) {
  const count = selected.rows.length;
  const isFiltered = Boolean(params.q) || countFilters(params) > 0;
  return (
    <div class="list-head">
      <h1 class="list-title">{params.ns ? <Text text={params.ns} /> : 'All memories'}</h1>
      {count > 0 && deleteSelected ? (
        <span class="list-actions">
          <span class="figures">{formatCount(count)} selected</span>
          <button type="button" class="danger" onClick={deleteSelected}>
            Delete…
          </button>
          <button type="button" class="quiet" onClick={selected.clear}>
            Clear selection
          </button>
        </span>
      ) : (
        <span class="list-actions">
          <span class="muted figures" aria-live="polite">
            {describe(params, records, node, isFiltered)}
          </span>
          {records.isStale && (
            <button type="button" onClick={records.reload}>
              Show changes
            </button>
          )}
          {isFiltered && deleteMatching && records.rows.length > 0 && (
            <button type="button" class="quiet" onClick={deleteMatching}>
              Delete all that match…
            </button>
          )}
          <SortSelect params={params} />
        </span>
      )}
    </div>
  );
}

function describe(params: Params, records: Records, node: NamespaceNode | undefined, isFiltered: boolean): string {
  const { rows, hasMore, tookMs } = records;
  if (isFiltered) {
    if (records.loading === 'first' && rows.length === 0) return '';
    const time = params.q && tookMs !== undefined ? ` in ${formatCount(Math.max(1, Math.round(tookMs)))} ms` : '';
    return `${formatCount(rows.length)}${hasMore ? '+' : ''} found${time}`;
  }
  if (node === undefined) return '';
  const more = node.more ? '+' : '';
  const count = node.recordCount + (isDeep(params) ? node.below : 0);
  return `${plural(count, 'memory', 'memories')}${more}`;
}

function SortSelect({ params }: { readonly params: Params }) {
  return (
    <select
      class="sort"
      aria-label="Sort by"
      value={sortOf(params)}
      onChange={({ currentTarget }) => go('memories', { ...params, sort: currentTarget.value as Sort }, 'replace')}
    >
      {params.q && <option value="best">Best match</option>}
      <option value="newest">Newest first</option>
      <option value="oldest">Oldest first</option>
    </select>
  );
}
