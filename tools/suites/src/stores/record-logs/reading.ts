import { expect } from 'vitest';
import { upToDate } from './follower.ts';
import { NAMESPACE, type RecordLogsCase } from './harness.ts';
import { ids, MANY, MANY_EXPIRED, put, putExpiring, remove } from './write-records.ts';

/** Ids with characters that are special in keys, patterns and escapes. */
const HOSTILE_IDS = ['a*', 'ab', '?', '[a]', ':', 'a/b', '%', '\\', '_', '.', "'", ' ', 'é', '東京', '-a', '1:0'];

export const readingCases: readonly RecordLogsCase[] = [
  {
    title: 'read returns the records with these ids, and nothing for the ids of others',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, [...HOSTILE_IDS, 'deleted', 'a*b', 'abc', 'A*', '[a', 'other']);
      await put(log, ['ab'], { content: 'changed' });
      await remove(log, ['deleted']);
      const found = await open()
        .open(NAMESPACE)
        .read([...HOSTILE_IDS, 'deleted', 'missing', 'a']);
      const { records } = await upToDate(log);
      const byId = (one: string, other: string) => (one < other ? -1 : 1);
      expect(found.map(({ record }) => record.id).sort(byId)).toEqual(HOSTILE_IDS.toSorted(byId));
      for (const { record, change, created } of found) {
        expect({ record, change, created }).toEqual({
          ...records.get(record.id),
          vector: undefined,
          writer: undefined,
        });
        expect(record.content).toBe(record.id === 'ab' ? 'changed' : record.id);
      }
      expect(await log.read([])).toEqual([]);
    },
  },
  {
    title: 'read returns more records than are read at once',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r'));
      const found = await log.read(ids('r'));
      expect(new Set(found.map(({ record }) => record.id)).size).toBe(MANY);
    },
  },
  {
    title: 'read leaves out records that have expired',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['lasting']);
      await put(log, ['long'], { ttlMs: 3_600_000 });
      await put(log, ids('expired', MANY_EXPIRED), { ttlMs: 0 });
      const found = await log.read(['lasting', 'long', ...ids('expired', MANY_EXPIRED)]);
      expect(found.map(({ record }) => record.id).sort()).toEqual(['lasting', 'long']);
      await putExpiring(log, ['long', 'brief']);
      expect((await log.read(['brief', 'lasting', 'long'])).map(({ record }) => record.id)).toEqual(['lasting']);
    },
  },
];
