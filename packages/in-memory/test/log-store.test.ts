import type { RecordInput } from '@keepsake/core';
import { LogStore, type LogStoreOptions } from '@keepsake/search';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it, vi } from 'vitest';
import { InMemoryStore } from '../src/index.ts';
import { MemoryLogs } from './memory-logs.ts';

/** Enough for a saved index. */
const MANY = 600;
/** So long that a table does not keep the texts of many records. */
const LONG = ` ${'x'.repeat(8_000)}`;

function open(logs = new MemoryLogs(), options: Partial<LogStoreOptions> = {}) {
  return { store: new LogStore({ name: 'memory', ...options }, logs), logs, log: logs.open([]) };
}

const herons = (length: number, rest = ''): RecordInput[] =>
  Array.from({ length }, (_, n) => ({ id: `${n}`, content: `heron w${n}${rest}`, metadata: { n, even: n % 2 === 0 } }));

/** Waits until nothing is done in the background. */
function settled(store: LogStore): Promise<void> {
  return store.within([]).close();
}

async function idsOf(found: Promise<readonly { readonly id?: string | undefined }[]>) {
  return (await found).map(({ id }) => id);
}

describe('a saved index', () => {
  it('is what a new process reads instead of the log', async () => {
    const { store, logs, log } = open();
    await store.putMany(herons(MANY));
    await store.search('heron');
    await settled(store);
    expect(log.indexes.size).toBe(1);
    const next = open(logs);
    await next.store.put({ id: 'later', content: 'heron later' });
    await next.store.delete('7');
    log.changeCount = 0;
    expect(await next.store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(MANY);
    expect(log.changeCount).toBe(2);
    expect(await idsOf(next.store.search('w8'))).toEqual(['8']);
    expect(await idsOf(next.store.search('w7'))).toEqual([]);
    expect(await idsOf(next.store.search('later'))).toEqual(['later']);
  });

  it('is saved again once a tenth of the records has changed, and not before', async () => {
    const { store, log } = open();
    await store.putMany(herons(10 * MANY));
    await store.search('heron');
    await settled(store);
    const publishes = () => log.calls.filter((call) => call === 'publish').length;
    expect(publishes()).toBe(1);
    await store.putMany(herons(MANY - 1));
    await store.search('heron');
    await settled(store);
    expect(publishes()).toBe(1);
    await store.putMany(herons(MANY + 2).slice(MANY));
    await store.search('heron');
    await settled(store);
    expect(publishes()).toBe(2);
  });

  it.each([
    ['of which a byte is damaged', (pages: readonly Uint8Array[]) => [pages[0]?.fill(255, 40, 60), ...pages.slice(1)]],
    ['that is cut short', ([first]: readonly Uint8Array[]) => [first?.subarray(0, 100)]],
    ['without its last page', (pages: readonly Uint8Array[]) => pages.slice(0, -1)],
    ['without its first page', (pages: readonly Uint8Array[]) => [undefined, ...pages.slice(1)]],
    ['with an empty page', () => [new Uint8Array()]],
    ['that is empty', () => []],
  ])('%s is made again from the log', async (_, damage) => {
    const { store, logs, log } = open();
    await store.putMany(herons(MANY));
    await store.search('heron');
    await settled(store);
    for (const [variant, saved] of log.indexes) {
      log.indexes.set(variant, { ...saved, written: damage(saved.written) as Uint8Array[] });
    }
    const next = open(logs).store;
    expect(await next.search('heron', { maxSearchResults: 1_000 })).toHaveLength(MANY);
    expect(await idsOf(next.search('w8'))).toEqual(['8']);
  });

  it('of another language or embedder is not read', async () => {
    const { store, logs, log } = open();
    await store.putMany(herons(MANY));
    await store.search('heron');
    await settled(store);
    log.changeCount = 0;
    const german = open(logs, { language: 'de' }).store;
    expect(await idsOf(german.search('w8'))).toEqual(['8']);
    expect(log.changeCount).toBe(MANY);
    await settled(german);
    expect(log.indexes.size).toBe(2);
  });

  it('is saved by one of several processes', async () => {
    const { store, logs, log } = open();
    const others = [0, 1, 2].map(() => open(logs).store);
    await store.putMany(herons(MANY));
    for (const one of [store, ...others]) {
      await one.search('heron');
      await settled(one);
    }
    expect(log.calls.filter((call) => call === 'publish')).toHaveLength(1);
  });

  it('is saved after a compaction, though the last change was a deletion that is forgotten', async () => {
    const { store, logs, log } = open();
    await store.putMany(herons(MANY));
    await store.delete('7');
    await store.compact();
    const next = open(logs).store;
    await next.search('heron');
    await settled(next);
    expect(log.indexes.size).toBe(1);
    // It begins with the index, and does not read the log again.
    log.changeCount = 0;
    expect(await open(logs).store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(MANY - 1);
    expect(log.changeCount).toBe(0);
  });

  it('is not tried again at each search by a process that may not write', async () => {
    const { store, log } = open();
    await store.putMany(herons(MANY));
    log.before = (call) => {
      if (call === 'writeIndex') throw new Error('Only reads are allowed.');
    };
    for (let n = 0; n < 20; n++) {
      await store.search('heron');
      await settled(store);
    }
    expect(log.calls.filter((call) => call === 'writeIndex')).toHaveLength(1);
  });

  it('takes the place of a table that was read record by record, whatever searches do meanwhile', async () => {
    const { store, log } = open();
    await store.putMany(herons(MANY));
    // Searches begin at every step of the writer.
    const searches: Promise<unknown>[] = [];
    log.before = (call) => {
      if (call !== 'write' && call !== 'publish') return new Promise((resolve) => setImmediate(resolve));
      for (let n = 0; n < 3; n++) searches.push(store.search('heron', { maxSearchResults: 1_000 }));
      return undefined;
    };
    for (let n = 0; n < 20; n++) searches.push(store.search('heron', { maxSearchResults: 1_000 }));
    for (let n = 0; n < 20; n++) expect(await store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(MANY);
    await settled(store);
    for (const found of await Promise.all(searches)) expect(found).toHaveLength(MANY);
    log.calls.length = 0;
    expect(await store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(MANY);
  });

  it('that can not be written changes nothing for searches, and is tried again', async () => {
    const { store, log } = open();
    await store.putMany(herons(MANY));
    log.before = (call) => {
      if (call === 'write') throw new Error('The disk is full.');
    };
    expect(await idsOf(store.search('w8'))).toEqual(['8']);
    await settled(store);
    expect(log.calls.slice(-1)).toEqual(['discard']);
    log.before = () => {};
    await store.putMany(herons(MANY));
    expect(await idsOf(store.search('w8'))).toEqual(['8']);
    await settled(store);
    expect(log.indexes.size).toBe(1);
  });

  it('is of the log after all changes that it says to have, while others write', async () => {
    const { store, logs, log } = open();
    await store.putMany(herons(MANY));
    let n = 0;
    // A change before each step of the writer.
    log.before = (call) => {
      if (call === 'write' || call === 'publish') log.apply({ delete: `${n++}` });
    };
    await store.search('heron');
    await settled(store);
    log.before = () => {};
    expect(n).toBeGreaterThan(1);
    expect(await open(logs).store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(MANY - n);
  });
});

describe('following', () => {
  it('asks once for a search after which nothing has changed, and reads what has changed', async () => {
    const { store, log } = open();
    await store.putMany(herons(10));
    await store.search('heron');
    log.calls.length = 0;
    log.changeCount = 0;
    await store.search('heron');
    expect(log.calls).toEqual(['changes']);
    await store.put({ id: '3', content: 'tern' });
    expect(await idsOf(store.search('tern'))).toEqual(['3']);
    expect(log.changeCount).toBe(1);
  });

  it('begins again when the log has forgotten deletions, or was cleared', async () => {
    const { store, logs, log } = open();
    const other = open(logs).store;
    await store.putMany(herons(10));
    expect(await other.search('heron')).toHaveLength(10);
    await store.delete('1');
    log.forget();
    expect((await other.search('heron')).length).toBe(9);
    await store.clear();
    expect(await other.search('heron')).toEqual([]);
    await store.put({ id: '1', content: 'heron again' });
    expect(await idsOf(other.search('heron'))).toEqual(['1']);
  });

  it('of many records begins once, also after deletions were forgotten', async () => {
    const { store, logs, log } = open();
    await store.putMany(herons(450));
    await store.delete('1');
    log.forget();
    log.changeCount = 0;
    expect(await open(logs).store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(449);
    expect(log.changeCount).toBe(449);
  });

  it('of many records begins again if a deletion is forgotten meanwhile', async () => {
    const { store, logs, log } = open();
    await store.putMany(herons(450));
    let asked = 0;
    log.before = (call) => {
      if (call !== 'changes' || ++asked !== 3) return;
      log.apply({ delete: '1' });
      log.forget();
    };
    expect(await open(logs).store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(449);
  });

  it('goes on after a failure in the middle, and shows nothing of a half', async () => {
    const { store, log } = open();
    await store.putMany(herons(5));
    await store.search('heron');
    await store.putMany(herons(350, ' again'));
    let asked = 0;
    log.before = (call) => {
      if (call === 'changes' && ++asked === 3) throw new Error('The connection was lost.');
    };
    const [failed, later] = await Promise.allSettled([store.search('again'), store.search('again')]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'The connection was lost.' } });
    expect(later.status).toBeOneOf(['rejected', 'fulfilled']);
    expect(await store.search('again', { maxSearchResults: 1_000 })).toHaveLength(350);
  });

  it('of searches at the same time is shared, and each sees what was acknowledged before it', async () => {
    const { store, log } = open();
    await store.putMany(herons(10));
    await store.search('heron');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    log.calls.length = 0;
    log.before = (call) => (call === 'changes' ? held : undefined);
    const first = store.search('tern');
    while (log.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await store.put({ id: 'new', content: 'tern' });
    const others = Array.from({ length: 20 }, () => store.search('tern'));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await first;
    for (const other of others) expect(await idsOf(other)).toEqual(['new']);
    expect(log.calls.filter((call) => call === 'changes').length).toBeLessThan(5);
  });
});

it('a batch with the same id twice creates the record once, and its last put is its last change', async () => {
  const { store, log } = open();
  const batch = ['a', 'b', 'a'].map((id, n) => ({ id, content: `heron ${n}` }));
  expect((await store.putMany(batch)).map(({ version }) => version)).toEqual([1, 1, 2].map(putTimes));
  expect(await idsOf(store.list({ order: 'oldest' }).then(({ items }) => items))).toEqual(['a', 'b']);
  const changes = (await log.changes(undefined)).changes.map((one) => 'record' in one && one.record.id);
  expect(changes).toEqual(['b', 'a']);
});

describe('contents that are not in memory', () => {
  it('are read in one call for the hits of a search', async () => {
    const { store, log } = open();
    await store.putMany(herons(MANY, LONG));
    await store.search('heron');
    await settled(store);
    log.calls.length = 0;
    log.readCount = 0;
    expect(await store.search('heron', { maxSearchResults: 50 })).toHaveLength(50);
    expect(log.calls.filter((call) => call === 'read').length).toBeLessThanOrEqual(1);
    expect(log.readCount).toBeLessThanOrEqual(50);
  });

  it('are read for filters, in batches, with the same results as in memory', async () => {
    const { store, log } = open();
    const memory = new InMemoryStore({ name: 'memory' });
    const random = mulberry32(3);
    const records = herons(MANY, LONG).map((record, n) => ({
      ...record,
      content: `${record.content} ${random() < 0.5 ? 'tern' : 'gull'}`,
      metadata: { n, rare: n % 97 === 0, half: n % 2 === 0 },
    }));
    for (const one of [store, memory]) await one.putMany(records);
    for (const filter of [{ rare: true }, { half: true }, { n: { gt: 550 } }, { rare: 'none' }]) {
      for (const query of ['tern', 'heron w7']) {
        log.calls.length = 0;
        const found = await store.search(query, { filter, maxSearchResults: 20 });
        const expected = await memory.search(query, { filter, maxSearchResults: 20 });
        expect(found.map(({ id, score }) => [id, score])).toEqual(expected.map(({ id, score }) => [id, score]));
        expect(log.calls.filter((call) => call === 'read').length).toBeLessThan(60);
      }
    }
  });

  it('are those that the table has: what changes meanwhile is followed first', async () => {
    const { store, log } = open();
    await store.putMany(herons(MANY, LONG));
    await store.search('heron');
    const now = new Date().toISOString();
    let n = 0;
    log.before = (call) => {
      if (call !== 'read' || n > 5) return;
      const record = { id: `${n++}`, content: 'tern', metadata: {}, version: 2, createdAt: now, updatedAt: now };
      log.apply({ put: { ...record, index: true } });
    };
    for (let round = 0; round < 6; round++) {
      const found = await store.search('heron w0 w1 w2 w3 w4 w5', { maxSearchResults: 20 });
      expect(found.length).toBe(20);
      for (const { content } of found) expect(content).toContain('heron');
    }
    expect(n).toBeGreaterThan(0);
  });

  it('are not those of another log, whose changes have the same numbers', async () => {
    const { store, log } = open();
    await store.putMany(herons(MANY, LONG));
    await store.search('heron');
    await settled(store);
    await store.search('heron', { maxSearchResults: MANY });
    const now = new Date().toISOString();
    log.before = async (call) => {
      if (call !== 'read') return;
      log.before = () => {};
      await log.clear();
      // The records that the table keeps in memory get the numbers that they had, and too many others follow to be kept. Some of
      // these get other numbers than before, so the table is brought up to date in the midst of the search.
      const ids = Array.from({ length: 2 * MANY }, (_, n) => `${n}`);
      for (const id of [...ids.slice(0, MANY - 10), ...ids.slice(MANY - 10).reverse()]) {
        const record = { id, content: `heron tern${LONG}`, metadata: {}, version: 2 };
        log.apply({ put: { ...record, createdAt: now, updatedAt: now, index: true } });
      }
    };
    // All is read in one step, however long it takes.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const found = await store.search('heron', { maxSearchResults: 3 * MANY });
    clock.mockRestore();
    expect(found).toHaveLength(2 * MANY);
    for (const { content } of found) expect(content).toContain('tern');
  });

  it('that are gone by the clock of the backend are left out', async () => {
    const { store, log } = open();
    await store.putMany(herons(MANY, LONG));
    await store.search('heron');
    // Without a change, as if they had expired there.
    for (const id of ['0', '1', '2']) log.records.delete(id);
    expect(await idsOf(store.search('w0 w1 w2 w3', { maxSearchResults: 1 }))).toEqual(['3']);
  });
});

describe('the budget of memory', () => {
  it('lets go of the tables that were used least recently, which are read again', async () => {
    const logs = new MemoryLogs();
    const { store } = open(logs, { tableBytes: 200_000 });
    const names = Array.from({ length: 20 }, (_, n) => `u${n}`);
    for (const name of names) await store.within([name]).putMany(herons(50));
    for (const name of names) await store.within([name]).search('heron');
    const begun = (name: string) => logs.open([name]).changeCount;
    const before = names.map(begun);
    for (const name of names) expect(await idsOf(store.within([name]).search('w8'))).toEqual(['8']);
    const again = names.filter((name, n) => begun(name) > (before[n] as number));
    expect(again.length).toBeGreaterThan(10);
    const [last] = names.slice(-1) as [string];
    const now = begun(last);
    await store.within([last]).search('heron');
    expect(begun(last)).toBe(now);
  });

  it.each([0, -1, Number.NaN, '1'])('of %s is refused', (tableBytes) => {
    expect(() => open(undefined, { tableBytes: tableBytes as number })).toThrow(/tableBytes/);
  });
});

describe('many records that were never searched', () => {
  it('are in a saved index after close()', async () => {
    for (const [count, isSaved] of [
      [1_100, true],
      [900, false],
    ] as const) {
      const { store, log } = open();
      await store.putMany(herons(count));
      expect(log.indexes.size).toBe(0);
      await settled(store);
      expect(log.indexes.size, `${count}`).toBe(isSaved ? 1 : 0);
    }
  });

  it('are read in steps that save the index so far, within a part of the budget', async () => {
    const logs = new MemoryLogs();
    const { store, log } = open(logs, { tableBytes: 1_200_000 });
    await store.putMany(herons(2_000, LONG));
    await store.delete('7');
    let saved = 0;
    log.before = (call) => {
      if (call === 'publish') saved++;
    };
    expect(await idsOf(store.search('w1999', { maxSearchResults: 1 }))).toEqual(['1999']);
    expect(saved).toBeGreaterThan(3);
    const memory = new InMemoryStore({ name: 'memory' });
    await memory.putMany(herons(2_000, LONG));
    await memory.delete('7');
    for (const query of ['heron w7', 'w1 w500 w1500']) {
      const found = await store.search(query, { maxSearchResults: 30 });
      const expected = await memory.search(query, { maxSearchResults: 30 });
      expect(found.map(({ id, score }) => [id, score])).toEqual(expected.map(({ id, score }) => [id, score]));
    }
  });

  it('are read to the end if no index can be saved meanwhile', async () => {
    const { store, log } = open(new MemoryLogs(), { tableBytes: 1_200_000 });
    await store.putMany(herons(2_000, LONG));
    log.before = (call) => {
      if (call === 'publish') throw new Error('No more space.');
    };
    expect(await idsOf(store.search('w1999', { maxSearchResults: 1 }))).toEqual(['1999']);
  });
});

it('a list that no indexed field leads follows no table', async () => {
  const { store, log } = open(undefined, { indexed: ['n'] });
  await store.putMany(herons(10));
  await store.list();
  await store.list({ filter: { n: { gt: 3 } } });
  expect(log.changeCount).toBe(0);
  await store.list({ filter: { n: 3 } });
  expect(log.changeCount).toBe(10);
});
