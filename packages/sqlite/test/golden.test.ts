import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteSession, SqliteStore } from '../src/index.ts';
import { GOLDEN_EMBEDDER, GOLDEN_NAMESPACE, readGolden } from './golden.ts';
import { newFile } from './temporary-file.ts';

const directory = join(import.meta.dirname, 'golden');
const versions = readdirSync(directory).flatMap((name) => (name.endsWith('.db') ? [name.slice(0, -3)] : []));

/** A copy of a golden file. */
function copyOf(version: string): string {
  const file = newFile();
  copyFileSync(join(directory, `${version}.db`), file);
  return file;
}

/*
 * What every version of the tables wrote, and what must be read from it: see programs/write-golden.ts. Never changed after
 * the release of a version.
 */
describe.each(versions)('the file of %s', (version) => {
  it('is read as it was written', async () => {
    const expected = JSON.parse(readFileSync(join(directory, `${version}.json`), 'utf8'));
    expect(JSON.parse(JSON.stringify(await readGolden(copyOf(version))))).toEqual(expected);
  });

  it('can be changed', async () => {
    const file = copyOf(version);
    const session = new SqliteSession({ file, sessionId: 'chat: Älice' });
    const items = await session.getItems();
    // The operation is known.
    const transaction = { type: 'append_items' as const, items: [{ n: 'by an operation' }] };
    await session.applyHistoryTransaction({ operationId: 'operation 1', transaction });
    await session.addItems([{ n: 'later' }]);
    expect(await session.getItems()).toEqual([...items, { n: 'later' }]);

    const store = new SqliteStore({ file, name: 'memory', namespace: GOLDEN_NAMESPACE, embedder: GOLDEN_EMBEDDER });
    expect(await store.put({ id: 'note', content: 'A kingfisher.' })).toMatchObject({ version: 3 });
    const words = new SqliteStore({ file, name: 'memory', namespace: GOLDEN_NAMESPACE });
    expect((await words.search('kingfisher')).map(({ id }) => id)).toEqual(['note']);
    expect(await words.search('Reiher')).toEqual([]);
    const { length } = (await store.list({ limit: 1_000 })).items;
    await store.compact();
    expect(await store.clear()).toBe(length);
    expect((await new SqliteStore({ file, name: 'memory' }).list()).items).toHaveLength(1);
  });
});

it('there is a file of each version', () => {
  expect(versions.sort()).toEqual(['version-1', 'version-2', 'version-3', 'version-4', 'version-5']);
});
