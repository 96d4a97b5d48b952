import { copyFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { isMemoryError, type MemoryError } from '@keepsake/core';
import { step } from '@keepsake/testing/share';
import { afterAll, expect, it } from 'vitest';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { EMBEDDER, NAMESPACE, writeFilled } from './filled-file.ts';
import { newFile, temporaryFile } from './temporary-file.ts';

const { file: FILLED, remove } = temporaryFile();
await writeFilled(FILLED);
afterAll(remove);

/** Values that SQLite stores in a column of each type, and the package never writes. */
const IMPOSSIBLE: Readonly<Record<string, readonly SQLInputValue[]>> = {
  // Beyond the times of JavaScript, and beyond its safe integers.
  INTEGER: [-1, 0, 9e15, 2n ** 53n, 2n ** 62n, -(2n ** 62n)],
  TEXT: ['', '{', '[]', 'null', '%zz', 'a:%', '\u0000'],
  BLOB: [new Uint8Array(), Uint8Array.of(1), new Uint8Array(4).fill(255), new Uint8Array(32).fill(255)],
};

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

function columns(): Column[] {
  const database = new DatabaseSync(FILLED, { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'keepsake%'")
    .all();
  const found = tables.flatMap(({ name: table }) =>
    database
      .prepare(`PRAGMA table_info("${table}")`)
      .all()
      .map(({ name, type }) => ({ table, name, type }) as Column),
  );
  database.close();
  return found;
}

/** Writes a value into the first row of a table. Returns false if a constraint of the table refuses it. */
function damage(file: string, { table, name }: Column, value: SQLInputValue): boolean {
  const database = new DatabaseSync(file);
  try {
    const keys = database.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`).all();
    const order = keys.map(({ name }) => `"${name}" ASC`).join(', ') || 'rowid';
    const where = `"${name}" IS (SELECT "${name}" FROM "${table}" ORDER BY ${order} LIMIT 1)`;
    return database.prepare(`UPDATE "${table}" SET "${name}" = ? WHERE ${where}`).run(value).changes !== 0;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** Every way of reading, each on its own. */
function reads(file: string): (() => Promise<unknown>)[] {
  const sessions = new SqliteSessionStore({ file });
  const root = new SqliteStore({ file, name: 'memory' });
  const words = root.within(NAMESPACE);
  const hybrid = new SqliteStore({ file, name: 'memory', namespace: NAMESPACE, embedder: EMBEDDER });
  return [
    () => sessions.list(),
    () => sessions.open('chat: Älice').getItems(),
    () => root.list(),
    () => words.list({ limit: 1_000 }),
    () => words.list({ filter: { even: true } }),
    () => root.namespaces(),
    () => root.search('heron river', { descendants: true }),
    () => words.search('heron river yesterday'),
    () => words.search('heron', { filter: { even: true, n: { gt: 10 } } }),
    () => hybrid.search('heron river'),
  ];
}

/** By day each column gets some of the values, and another column others. */
const STEP = step(4);

it.each(columns().map((column, place) => [`${column.table}.${column.name}`, column, place] as const))(
  'impossible values in %s are read or CORRUPT',
  async (_, column, place) => {
    const values = (IMPOSSIBLE[column.type] ?? []).filter((_, n) => (n + place) % STEP === 0);
    for (const value of values) {
      const file = newFile();
      copyFileSync(FILLED, file);
      if (!damage(file, column, value)) continue;
      for (const read of reads(file)) {
        const error = await read().then(
          () => undefined,
          (reason: MemoryError) => reason,
        );
        if (error === undefined) continue;
        // A later version of the tables neither.
        if (column.table === 'keepsake_schema' && error.code === 'UNSUPPORTED') continue;
        expect(isMemoryError(error) && error.code, `${value}: ${error} ${error.cause} ${read}`).toBe('CORRUPT');
      }
    }
  },
);
