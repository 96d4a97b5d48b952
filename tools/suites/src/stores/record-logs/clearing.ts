import { formatNamespace, type Namespace } from '@keepsake/core';
import { expect } from 'vitest';
import { listIds, upToDate } from './follower.ts';
import { NAMESPACE, NAMESPACES, type RecordLogsCase, type RecordLogsHarness } from './harness.ts';
import { ids, MANY_EXPIRED, put, putExpiring, remove } from './write-records.ts';

/** Fills each namespace with two records that are there and many that have expired. */
async function fill({ open }: RecordLogsHarness): Promise<void> {
  for (const namespace of NAMESPACES) {
    const log = open().open(namespace);
    await put(log, ['a', 'b'], { content: formatNamespace(namespace) });
    await put(log, ids('expired', MANY_EXPIRED), { ttlMs: 0 });
  }
}

/** Checks that these namespaces are empty, and the others as they were. */
async function expectCleared({ open }: RecordLogsHarness, cleared: readonly Namespace[]): Promise<void> {
  const texts = cleared.map(formatNamespace);
  for (const namespace of NAMESPACES) {
    const log = open().open(namespace);
    const isCleared = texts.includes(formatNamespace(namespace));
    expect(await listIds(log), formatNamespace(namespace)).toEqual(isCleared ? [] : ['a', 'b']);
    expect(await log.read(['a', 'b'])).toHaveLength(isCleared ? 0 : 2);
    if (isCleared) expect((await log.changes(undefined)).changes).toEqual([]);
  }
}

export const clearingCases: readonly RecordLogsCase[] = [
  {
    title: 'clear removes one namespace, and counts the records that had not expired',
    async run(harness) {
      await fill(harness);
      const log = harness.open().open(['a']);
      await putExpiring(log, ['brief']);
      expect(await log.clear()).toBe(2);
      await expectCleared(harness, [['a']]);
      expect(await log.clear()).toBe(0);
      expect(await harness.open().open([]).clear()).toBe(2);
      await expectCleared(harness, [[], ['a']]);
    },
  },
  {
    title: 'clearTree removes a namespace and those below it, and counts the records that had not expired',
    async run(harness) {
      await fill(harness);
      const logs = harness.open();
      const tree = [['a'], ['a', 'b'], ['a', 'b', 'c']];
      expect(await logs.clearTree(['a'])).toBe(6);
      await expectCleared(harness, tree);
      expect(await logs.clearTree(['a'])).toBe(0);
      expect(await logs.clearTree([])).toBe(2 * (NAMESPACES.length - tree.length));
      await expectCleared(harness, NAMESPACES);
    },
  },
  {
    title: 'compact keeps the records that are there, and nothing of those that are not',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r', 300));
      await put(log, ids('expired', MANY_EXPIRED), { ttlMs: 0 });
      await put(log, ['r7']);
      await remove(log, ids('r', 300).slice(20));
      await put(log, ids('later', MANY_EXPIRED), { ttlMs: 0 });
      const before = await upToDate(log);
      const other = open().open(['user']);
      await put(other, ['a', 'b']);
      const listed = await log.list({ order: 'oldest', after: undefined, limit: 500 });
      await log.compact();
      expect(await log.list({ order: 'oldest', after: undefined, limit: 500 })).toEqual(listed);
      const after = await upToDate(open().open(NAMESPACE));
      expect([...after.records.keys()].sort()).toEqual(ids('r', 20).sort());
      expect((await log.changes(undefined)).changes).toHaveLength(20);
      await before.expectUpToDate();
      expect(await listIds(other)).toEqual(['a', 'b']);
    },
  },
];
