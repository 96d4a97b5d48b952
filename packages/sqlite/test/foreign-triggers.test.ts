import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

const OPTIONS = { name: 'memory', durability: 'os' } as const;
const REFUSED = expect.objectContaining({
  code: 'UNSUPPORTED',
  message: expect.stringMatching(/trigger "keep ""it""".*could keep what is erased.*DROP TRIGGER "keep ""it"""/),
});

/** Another program that copies what is deleted or replaced. */
function plant(file: string, table: string, column: string, event: string): void {
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE IF NOT EXISTS other (text);
    CREATE TRIGGER "keep ""it""" BEFORE ${event} ON ${table} BEGIN INSERT INTO other VALUES (OLD.${column}); END`);
  database.close();
}

async function filledFile() {
  const file = newFile();
  const store = new SqliteStore({ file, ...OPTIONS });
  await store.put({ id: 'secret', content: 'sentinel' });
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  await sessions.open('chat').addItems([{ text: 'sentinel' }]);
  return { file, store, sessions };
}

describe('a trigger of another program on a table of Keepsake', () => {
  it.each<[string, string, string, (filled: Awaited<ReturnType<typeof filledFile>>) => Promise<unknown>]>([
    ['keepsake_records', 'json', 'DELETE', ({ store }) => store.delete('secret')],
    ['KEEPSAKE_records', 'json', 'DELETE', ({ store }) => store.clear()],
    ['keepsake_records', 'json', 'UPDATE', ({ store }) => store.put({ id: 'secret', content: 'new' })],
    ['keepsake_items', 'item', 'DELETE', ({ sessions }) => sessions.delete('chat')],
    ['keepsake_items', 'item', 'DELETE', ({ sessions }) => sessions.open('chat').popItem()],
    ['keepsake_items', 'item', 'DELETE', ({ sessions }) => sessions.open('chat').clearSession()],
    ['keepsake_items', 'item', 'DELETE', ({ store }) => store.compact()],
  ])('refuses changes until it is removed: on %s, %s, at %s', async (table, column, event, change) => {
    const filled = await filledFile();
    plant(filled.file, table, column, event);
    await expect(change(filled)).rejects.toEqual(REFUSED);
    const database = new DatabaseSync(filled.file);
    expect(database.prepare('SELECT count(*) AS count FROM other').get()).toEqual({ count: 0 });
    database.exec('DROP TRIGGER "keep ""it"""');
    database.close();
    await change(filled);
  });

  it('refuses to open the file', async () => {
    const copy = newFile();
    const database = new DatabaseSync((await filledFile()).file);
    database.prepare('VACUUM INTO ?').run(copy);
    database.close();
    plant(copy, 'keepsake_records', 'json', 'DELETE');
    const again = new SqliteStore({ file: copy, ...OPTIONS });
    await expect(again.get('secret')).rejects.toEqual(REFUSED);
    await expect(again.delete('secret')).rejects.toEqual(REFUSED);
  });

  it('is found in a database of the caller, also if it is temporary', async () => {
    const database = new DatabaseSync(':memory:');
    const store = new SqliteStore({ database, name: 'memory' });
    await store.put({ id: 'secret', content: 'sentinel' });
    database.exec(`CREATE TABLE other (text); CREATE TEMP TRIGGER "keep ""it""" BEFORE DELETE ON main.keepsake_records
      BEGIN INSERT INTO other VALUES (OLD.json); END`);
    await expect(new SqliteStore({ database, name: 'memory' }).delete('secret')).rejects.toEqual(REFUSED);
    database.close();
  });
});

it('a trigger on a table of another program is no matter of Keepsake', async () => {
  const { file, store } = await filledFile();
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE keepsakes (text); CREATE TABLE log (text)');
  database.exec('CREATE TRIGGER t AFTER INSERT ON keepsakes BEGIN INSERT INTO log VALUES (NEW.text); END');
  database.close();
  expect(await store.delete('secret')).toBe(true);
  await store.compact();
});
