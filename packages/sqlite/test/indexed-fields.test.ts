import { DatabaseSync } from 'node:sqlite';
import { describeIndexedFields } from '@keepsake/conformance';
import type { RecordInput } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { stepClock } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { SqliteStore, type SqliteStoreOptions } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

describeIndexedFields({
  describe,
  it,
  name: 'SqliteStore',
  capabilities: new SqliteStore({ database: new DatabaseSync(':memory:'), name: 'memory' }).capabilities,
  harness: () => {
    const database = new DatabaseSync(':memory:');
    return { open: (options = {}) => new SqliteStore({ database, name: 'memory', ...options }) };
  },
});

describe('The index of fields in SQLite', () => {
  const open = (file: string, own: Partial<SqliteStoreOptions> = {}) =>
    new SqliteStore({ file, name: 'memory', namespace: ['a'], ...own });

  it('is built in steps that an aborted list leaves for the next one', async () => {
    const file = newFile();
    const records = Array.from({ length: 2_000 }, (_, n) => ({ id: `${n}`, content: 'tea', metadata: { n: n % 500 } }));
    await open(file).putMany(records);
    const store = open(file, { indexed: ['n'] });
    const controller = new AbortController();
    const listing = store.list({ filter: { n: 7 }, signal: controller.signal });
    // Between two steps, of which each takes its time.
    stepClock(12);
    setImmediate(() => controller.abort());
    await expect(listing).rejects.toMatchObject({ code: 'ABORTED' });
    const ids = (await store.list({ filter: { n: 7 } })).items.map(({ id }) => id);
    expect(ids).toEqual(['1507', '1007', '507', '7']);
  });
});

describe('Long work in SQLite', () => {
  it('ends when its signal is aborted in another turn of the event loop', async () => {
    const store = new SqliteStore({ file: newFile(), name: 'memory', durability: 'os' });
    await store.putMany(Array.from({ length: 2_000 }, (_, n) => ({ content: 'tea', metadata: { n } })));
    // Each step takes its time.
    stepClock(12);
    const filter = { missing: true };
    for (const call of [
      (signal: AbortSignal) => store.list({ filter, signal }),
      (signal: AbortSignal) => store.search('tea', { filter, signal }),
    ]) {
      const controller = new AbortController();
      setImmediate(() => controller.abort());
      await expect(call(controller.signal)).rejects.toMatchObject({ code: 'ABORTED' });
    }
  });
});

describe('A search with a filter by an indexed field', () => {
  /**
   * Records whose best ones for `tea` mostly don't pass `rare`. Every night, there are more of these than an index gives at
   * once.
   */
  function records(): RecordInput[] {
    // The same numbers each time.
    let state = 7;
    const next = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    return Array.from({ length: rounds(10_000) }, (_, n) => {
      const rare = n % 2 === 0;
      const words = Array.from({ length: 1 + Math.floor(next() * 6) }, () => `w${Math.floor(next() ** 3 * 400)}`);
      const tea = next() < (rare ? 0.03 : 0.5) ? ['tea'] : [];
      const milk = next() < 0.2 ? ['milk'] : [];
      const metadata = { rare, tenth: n % 10 === 0, shade: Math.floor(next() * 3), few: n % 1_000 === 7 };
      return { id: `${n}`, content: [...words, ...(rare ? words : []), ...tea, ...milk].join(' '), metadata };
    });
  }

  it('finds the same as without the index, and as the in-memory store', async () => {
    const [file, plainFile] = [newFile(), newFile()];
    const own = { name: 'memory', durability: 'os' } as const;
    const store = new SqliteStore({ ...own, file, indexed: ['rare', 'tenth', 'few'] });
    const all = [store, new SqliteStore({ ...own, file: plainFile }), new InMemoryStore({ name: 'memory' })];
    for (const one of all) {
      await one.putMany(records());
      await one.list({ filter: { rare: true, tenth: true, few: true }, limit: 1 });
      // Gives records new places in the index for search.
      for (let n = 0; n < 300; n += 3)
        await one.put({ id: `${n}`, content: `tea again ${n}`, metadata: { rare: n % 4 === 0 } });
      for (let n = 1; n < 300; n += 30) await one.delete(`${n}`);
      await one.put({ id: 'hidden', content: 'tea', metadata: { rare: true }, index: false });
    }
    for (const query of ['tea', 'tea milk w3', 'w1 w300']) {
      for (const filter of [
        { rare: true },
        { rare: false },
        { tenth: true },
        { rare: true, shade: 2 },
        { few: true },
        { rare: true, few: true },
        { rare: 'none' },
      ]) {
        const [found, ...others] = await Promise.all(all.map((one) => one.search(query, { filter })));
        const facts = (entries: typeof found = []) => entries.map(({ id, score }) => [id, score?.toFixed(9)]);
        for (const other of others) expect([query, filter, facts(found)]).toEqual([query, filter, facts(other)]);
      }
    }
  });
});
