import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

/** Two stores over the same records, each with a connection and a table of its own. */
async function withTwo(test: (writer: SqliteStore, reader: SqliteStore, path: string) => Promise<void>) {
  const { path, connect, close } = temporaryDatabase();
  const open = () => new SqliteStore({ client: connect(), name: 'memory' });
  try {
    await test(open(), open(), path);
  } finally {
    close();
  }
}

const found = async (store: SqliteStore) => (await store.search('heron')).map(({ id }) => id).sort();

it('a reader does not find what was deleted and forgotten since its last search', () =>
  withTwo(async (writer, reader) => {
    await writer.putMany(['1', '2'].map((id) => ({ id, content: 'heron' })));
    expect(await found(reader)).toEqual(['1', '2']);
    await writer.delete('1');
    await writer.compact();
    expect(await found(reader)).toEqual(['2']);
  }));

it('a reader does not find what was there before the namespace was cleared', () =>
  withTwo(async (writer, reader) => {
    await writer.putMany(['1', '2'].map((id) => ({ id, content: 'heron' })));
    expect(await found(reader)).toEqual(['1', '2']);
    await writer.clear();
    await writer.put({ id: '3', content: 'heron' });
    expect(await found(reader)).toEqual(['3']);
  }));

it('a reader does not find a record that it knew before it was replaced by one that has expired', () =>
  withTwo(async (writer, reader) => {
    await writer.put({ id: '1', content: 'heron' });
    expect(await found(reader)).toEqual(['1']);
    await writer.put({ id: '1', content: 'heron', ttlMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await writer.put({ id: '2', content: 'heron' });
    expect(await found(reader)).toEqual(['2']);
  }));

it('a deleted record leaves nothing in the file, and compact removes its id', () =>
  withTwo(async (writer, _, path) => {
    const contains = (text: string) => readFileSync(path, 'latin1').includes(text);
    await writer.putMany(['1', '2'].map((n) => ({ id: `id-${n}`, content: `heron number ${n}` })));
    await writer.delete('id-1');
    expect([contains('heron number 1'), contains('heron number 2')]).toEqual([false, true]);
    await writer.compact();
    expect([contains('id-1'), contains('id-2')]).toEqual([false, true]);
  }));
