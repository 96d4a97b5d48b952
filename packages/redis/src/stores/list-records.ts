import type { MemoryRecord, Page } from '@keepsake/core';
import { type RecordList, readCursor, throwIfAborted, writeCursor } from '@keepsake/core/adapter';
import { LIST, type ListReply } from '../lua/records/read-records.ts';
import { REPLY } from '../lua/records/replies.ts';
import { fieldsFor, tryIndexing } from './field-index.ts';
import { writeRules } from './filter-rules.ts';
import { packedPrefixes } from './pack-id.ts';
import type { Records } from './records.ts';
import { readRecords, type StoredRecord } from './stored-record.ts';

/** How many documents one script looks at. The server serves nobody else meanwhile. */
const STEP = 5_000;

/** A page of records in the order of their creation. */
export async function listRecords(
  records: Records,
  { limit, order, idPrefix, rules, cursor, signal }: RecordList,
): Promise<Page<MemoryRecord>> {
  const prefixes = idPrefix === undefined ? [] : packedPrefixes(idPrefix);
  const kind = `records ${order}`;
  let [created, after] = readCursor(cursor, kind, ['string', 'number']) ?? ['', ''];
  let fields = fieldsFor(records.indexed, rules);
  const page: StoredRecord[] = [];
  for (;;) {
    // One more than a page, which tells whether there is a next page.
    const left = limit + 1 - page.length;
    const reply = await records.run(LIST, [
      order,
      created ?? '',
      after ?? '',
      STEP,
      left,
      writeRules(rules),
      fields,
      prefixes.length,
      ...prefixes,
    ]);
    throwIfAborted(signal);
    if (String(reply[0]) === REPLY.fields) {
      fields = await tryIndexing(records, fields, signal);
      continue;
    }
    const step = readReply(reply as ListReply);
    page.push(...step.records);
    [created, after] = [step.created, step.last];
    if (page.length > limit || step.isEnd) break;
  }
  const items = page.slice(0, limit).map(({ record }) => record);
  const last = page[limit - 1];
  if (page.length <= limit || last === undefined) return { items };
  return { items, cursor: writeCursor(kind, [String(created), last.document]) };
}

function readReply([created, last, isEnd, ...found]: ListReply) {
  return { created: String(created), last, isEnd: isEnd === 1, records: readRecords(found) };
}
