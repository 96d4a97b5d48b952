import { DatabaseSync } from 'node:sqlite';
import { describeRecordLogs } from '@keepsake/suites/stores/record-logs';
import { begin, positionOf, save, VARIANT } from '@keepsake/suites/stores/record-logs/saved';
import { put } from '@keepsake/suites/stores/record-logs/write-records';
import { expect, it } from 'vitest';
import { Database } from '../src/database/database.ts';
import { connectToFile } from '../src/file/open-file.ts';
import { SqliteLogs } from '../src/records/sqlite-logs.ts';
import { newFile } from './temporary-file.ts';

/** Logs with a connection of their own, as in another process. */
function open(file: string, embedder?: ConstructorParameters<typeof SqliteLogs>[1]) {
  return new SqliteLogs(new Database(connectToFile(file, 'os'), file), embedder);
}

function endLeases(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('UPDATE keepsake_indexes SET written_ms = 0 WHERE change IS NULL');
  database.close();
}

describeRecordLogs('SQLite', () => {
  const file = newFile();
  return { open: (embedder) => open(file, embedder), endLeases: async () => endLeases(file) };
});

it('what a killed process has saved of an index is removed with the next index, not left without one by a process that saves none', async () => {
  const file = newFile();
  const [log, other] = [open(file).open(['a']), open(file).open(['a'])];
  await put(log, ['a']);
  await save(log, 'saved');
  const { change } = await positionOf(log);
  const killed = await begin(other);
  await killed.write([Buffer.from('one'), Buffer.from('two')]);
  endLeases(file);
  const database = new DatabaseSync(file);
  const pages = (condition: string) =>
    database.prepare(`SELECT count(*) AS count FROM keepsake_pages WHERE ${condition}`).get();
  const isWithoutIndex = 'place >> 20 NOT IN (SELECT saved FROM keepsake_indexes)';
  // Others have saved more than this process knows.
  expect(await log.writeIndex(VARIANT, change - 1)).toBeUndefined();
  expect(pages(isWithoutIndex)).toEqual({ count: 0 });
  await save(log, 'next');
  expect(pages('true')).toEqual({ count: 1 });
  database.close();
});
