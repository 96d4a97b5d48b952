import type { RecordRow, RecordSelection, RecordsQuery } from '../../../src/protocol.ts';
import type { Params } from '../shell/router.ts';

/** How the parameters of the address are named: short, since people read them. */
const FILTERS = {
  q: 'search',
  kind: 'kind',
  speaker: 'speaker',
  conversation: 'conversation',
  run: 'run',
  from: 'from',
  to: 'to',
  field: 'metadataField',
  value: 'metadataValue',
} as const;

/** How the table is sorted. `best` is the order of a search. */
export type Sort = 'best' | 'newest' | 'oldest';

export function sortOf(params: Params): Sort {
  const { sort, q } = params;
  if (sort === 'oldest' || sort === 'newest') return sort;
  return q ? 'best' : 'newest';
}

/** What the address selects. Days are those of the reader. */
export function selectionOf(params: Params): RecordSelection {
  const filters = Object.entries(FILTERS).flatMap(([param, field]) => {
    const value = params[param];
    if (!value || (field.startsWith('metadata') && !(params.field && params.value))) return [];
    return [[field, param === 'from' ? dayStart(value, 0) : param === 'to' ? dayStart(value, 1) : value]];
  });
  return {
    namespace: params.ns ?? '',
    ...(isDeep(params) ? { descendants: true } : {}),
    ...Object.fromEntries(filters),
  };
}

export function queryOf(params: Params): RecordsQuery {
  const selection = selectionOf(params);
  if (params.q) return { ...selection, limit: 200 };
  const order = sortOf(params) === 'oldest' ? 'oldest' : 'newest';
  const asOf = params.asof && dayStart(params.asof, 1);
  return { ...selection, order, limit: 100, ...(asOf ? { asOf } : params.closed ? { closed: true } : {}) };
}

/** Namespaces below count unless the address says no: most stores keep nothing in the root itself. */
export function isDeep(params: Params): boolean {
  return params.deep !== 'no';
}

/** The filters besides the text, as many as are set. */
export function countFilters(params: Params): number {
  const fields = Object.keys(FILTERS).filter((name) => name !== 'q' && name !== 'value');
  return [...fields, 'closed', 'asof'].filter((name) => params[name]).length;
}

export function keyOf({ namespace, id }: Pick<RecordRow, 'namespace' | 'id'>): string {
  return `${namespace}\n${id}`;
}

/** A search comes best first as one page, so the page itself can sort it by time. */
export function sortRows(rows: readonly RecordRow[], params: Params): readonly RecordRow[] {
  const sort = sortOf(params);
  if (!params.q || sort === 'best') return rows;
  const sign = sort === 'oldest' ? 1 : -1;
  return rows.toSorted((a, b) => sign * (a.createdAt ?? '').localeCompare(b.createdAt ?? ''));
}

function dayStart(day: string, plusDays: number): string {
  const start = new Date(`${day}T00:00:00`);
  if (Number.isNaN(start.getTime())) return day;
  start.setDate(start.getDate() + plusDays);
  return start.toISOString();
}
