import {
  type ListOptions,
  MemoryError,
  type MemoryRecord,
  type Page,
  pageLimit,
  parseFilter,
  readCursor,
  throwIfAborted,
  writeCursor,
} from '@keepsake/core';
import { writeRules } from './filter-rules.ts';
import type { Records } from './records.ts';
import { LIST } from './store-scripts.ts';
import { readRecords, type StoredRecord } from './stored-record.ts';

/** So many places of the order are looked at in one step, which the server does nothing else in. */
const PLACES = 5_000;

/** A page of records in the order of their creation. */
export async function listRecords(records: Records, options: ListOptions | undefined): Promise<Page<MemoryRecord>> {
  const limit = pageLimit(options);
  const rules = parseFilter(options?.filter);
  const { order = 'newest', signal } = options ?? {};
  if (order !== 'newest' && order !== 'oldest') {
    throw new MemoryError('INVALID_ARGUMENT', "order is to be 'newest' or 'oldest'.");
  }
  const kind = `records ${order}`;
  let [born, after] = readCursor(options?.cursor, kind, ['string', 'number']) ?? ['', ''];
  const page: StoredRecord[] = [];
  for (;;) {
    // One more than a page: it tells whether there is a next one.
    const left = limit + 1 - page.length;
    const reply = await records.run(LIST, [order, born ?? '', after ?? '', PLACES, left, writeRules(rules)]);
    throwIfAborted(signal);
    const stretch = readStretch(reply);
    page.push(...stretch.records);
    [born, after] = [stretch.born, stretch.last];
    if (page.length > limit || stretch.isLast) break;
  }
  const items = page.slice(0, limit).map(({ record }) => record);
  const last = page[limit - 1];
  if (page.length <= limit || last === undefined) return { items };
  return { items, cursor: writeCursor(kind, [String(born), last.document]) };
}

function readStretch([born, last, isLast, ...found]: readonly unknown[]) {
  return { born: String(born), last: Number(last), isLast: Number(isLast) === 1, records: readRecords(found) };
}
