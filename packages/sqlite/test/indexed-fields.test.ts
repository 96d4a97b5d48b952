import { DatabaseSync } from 'node:sqlite';
import { describeIndexedFields } from '@keepsake/conformance';
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

  it('has the declared fields only, and nothing of records that are gone', async () => {
    const file = newFile();
    const store = open(file, { indexed: ['kind'] });
    await store.putMany([
      { id: '1', content: 'tea', metadata: { kind: 'note', secret: 'sentinel' } },
      { id: '2', content: 'tea', metadata: { kind: 'task' } },
    ]);
    await store.list({ filter: { kind: 'note' } });
    const rows = () => new DatabaseSync(file).prepare('SELECT field, value FROM keepsake_fields').all();
    expect(rows()).toEqual([
      { field: 'metadata.kind', value: 'snote' },
      { field: 'metadata.kind', value: 'stask' },
    ]);
    await store.delete('1');
    expect(rows()).toEqual([{ field: 'metadata.kind', value: 'stask' }]);
    await store.delete('2');
    const declared = new DatabaseSync(file).prepare('SELECT * FROM keepsake_indexed_fields').all();
    expect([...rows(), ...declared]).toEqual([]);
  });

  it('is built in steps that an aborted list leaves for the next one', async () => {
    const file = newFile();
    const records = Array.from({ length: 5_000 }, (_, n) => ({
      id: `${n}`,
      content: 'tea',
      metadata: { n: n % 1_000 },
    }));
    await open(file).putMany(records);
    const store = open(file, { indexed: ['n'] });
    const controller = new AbortController();
    const listing = store.list({ filter: { n: 7 }, signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(listing).rejects.toMatchObject({ code: 'ABORTED' });
    const ids = (await store.list({ filter: { n: 7 } })).items.map(({ id }) => id);
    expect(ids).toEqual(['4007', '3007', '2007', '1007', '7']);
  });
});

describe('Long work in SQLite', () => {
  it('ends when its signal is aborted by a timer', async () => {
    const store = new SqliteStore({ file: newFile(), name: 'memory', durability: 'os' });
    for (let from = 0; from < 20_000; from += 5_000) {
      const records = Array.from({ length: 5_000 }, (_, n) => ({ content: 'tea', metadata: { n: from + n } }));
      await store.putMany(records);
    }
    const filter = { missing: true };
    for (const call of [
      (signal: AbortSignal) => store.list({ filter, signal }),
      (signal: AbortSignal) => store.search('tea', { filter, signal }),
    ]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 1);
      await expect(call(controller.signal)).rejects.toMatchObject({ code: 'ABORTED' });
    }
  });
});
