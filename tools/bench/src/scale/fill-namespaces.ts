import type { RecordStore } from '@keepsake/core';
import { recordsOf } from './records.ts';

const BATCH = 500;

/** Puts records into some namespaces, as many into each. Returns how many bytes of text a record has. */
export async function fillNamespaces(store: RecordStore, count: number, namespaces: number): Promise<number> {
  const each = count / namespaces;
  let text = 0;
  for (let n = 0; n < namespaces; n++) {
    const own = store.within(['user', `user-${n}`]);
    for (let from = 0; from < each; from += BATCH) {
      const records = recordsOf(n * each + from, n * each + Math.min(each, from + BATCH), count);
      for (const { content } of records) text += Buffer.byteLength(content);
      await own.putMany(records);
    }
  }
  return Math.round(text / count);
}
