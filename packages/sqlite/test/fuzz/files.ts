import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mutateBytes } from '@keepsake/testing/fuzz/bytes';
import { hostileJson, mutateJsonText } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { SqliteSessionStore, SqliteStore } from '../../src/index.ts';
import { readFilled, writeFilled } from '../filled-file.ts';
import { temporaryFile } from '../temporary-file.ts';

const FILLED = temporaryFile();
await writeFilled(FILLED.file);
const BYTES = readFileSync(FILLED.file);
FILLED.remove();

/** Runs on a file with these bytes. */
async function onFile(bytes: Uint8Array, run: (file: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
  try {
    const file = join(directory, 'memory.db');
    writeFileSync(file, bytes);
    await run(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function useFile(file: string): Promise<void> {
  const store = new SqliteStore({ file, name: 'memory' });
  const sessions = new SqliteSessionStore({ file });
  try {
    await readFilled(file);
    await store.put({ id: 'new', content: 'A heron.' });
    await sessions.open('new').addItems([{ next: true }]);
    await store.clear({ descendants: true });
  } finally {
    await store.close();
  }
}

export const damagedFiles = fuzzTarget({
  inputs: 100,
  input: (random) => mutateBytes(random, BYTES),
  run: (bytes) => onFile(bytes, useFile),
});

/** A change of one value in one table. */
interface Change {
  readonly table: number;
  readonly column: number;
  readonly row: number;
  readonly value: string | number | null | Uint8Array;
}

function changeOf(random: Random): Change {
  const values = [mutateJsonText(random, [{ a: [1] }]), JSON.stringify(hostileJson(random)), random.whole(9) - 1, null];
  const value = random.pick([...values, Buffer.from([random.whole(256), 255, 0])]);
  return { table: random.whole(1000), column: random.whole(1000), row: random.whole(1000), value };
}

/** An intact file with other values than the ones that the package writes. */
export const strangeRows = fuzzTarget({
  inputs: 100,
  input: (random) => Array.from({ length: 1 + random.whole(3) }, () => changeOf(random)),
  run: (changes) =>
    onFile(BYTES, async (file) => {
      const database = new DatabaseSync(file);
      for (const change of changes) applyChange(database, change);
      database.close();
      await useFile(file);
    }),
});

function applyChange(database: DatabaseSync, { table, column, row, value }: Change): void {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const name = tables[table % tables.length]?.name as string;
  const columns = database.prepare(`PRAGMA table_info("${name}")`).all();
  const key = columns[column % columns.length]?.name as string;
  const { rows } = database.prepare(`SELECT count(*) AS rows FROM "${name}"`).get() as { rows: number };
  if (rows === 0) return;
  const values = database.prepare(`SELECT "${key}" AS value FROM "${name}"`).all();
  const old = values[row % rows]?.value ?? null;
  try {
    database.prepare(`UPDATE "${name}" SET "${key}" = ? WHERE "${key}" IS ?`).run(value, old);
  } catch {
    // A constraint of the table refuses this value, so no file has it.
  }
}
