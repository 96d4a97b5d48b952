import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { OtherProcess } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../src/index.ts';
import type { Job } from '../programs/put-and-search.ts';
import { newFile } from '../temporary-file.ts';
import { readAll } from './read-all.ts';

const PROGRAM = join(import.meta.dirname, '../programs/put-and-search.ts');
const FILES = rounds(60, 2);
const WRITERS = 4;
/** Enough changes for another saved index. */
const BATCH = 70;

function start(job: Job): OtherProcess {
  return new OtherProcess(PROGRAM, JSON.stringify(job));
}

it(`${WRITERS} processes change, search and save the index at once, half of them are killed: nobody misses a change, and the index of a killed one does not matter`, async (context) => {
  const random = randomOf('saved-index');
  let [indexes, killed, unfinished, acknowledged] = [0, 0, 0, 0];
  // The lease of a killed process that was writing an index can outlast the others.
  for (let n = 0; n < FILES || indexes === 0; n++) {
    const file = newFile();
    const others = Array.from({ length: WRITERS }, (_, writer) =>
      start({ file, writer: `w${writer}`, rounds: 6, batch: BATCH }),
    );
    await Promise.all(others.map((other) => other.ready));
    for (const other of others) other.go();
    for (const victim of others.slice(0, WRITERS / 2)) {
      await sleep(random() * 300);
      victim.kill();
      killed++;
    }
    // A search of one that lives fails if it misses a record.
    await Promise.all(others.map(({ end }) => end));
    const { records } = await readAll(file);
    for (const [writer, { lines }] of others.entries()) {
      acknowledged += lines.length;
      for (const round of lines) expect(records.get(`w${writer} ${round} ${BATCH - 1}`)).toContain(`r${round} `);
    }
    const database = new DatabaseSync(file);
    const saved = (condition: string) =>
      Number(database.prepare(`SELECT count(*) AS count FROM keepsake_indexes WHERE ${condition}`).get()?.count);
    indexes += saved('change IS NOT NULL');
    unfinished += saved('change IS NULL');
    // A process that begins with the index finds the same.
    const store = new SqliteStore({ file, name: 'memory' });
    expect(await store.search('heron', { maxSearchResults: 10_000 })).toHaveLength(records.size);
    // Later than the lease of a killed writer.
    database.exec('UPDATE keepsake_indexes SET written_ms = 0 WHERE change IS NULL');
    await store.putMany(Array.from({ length: records.size }, (_, k) => ({ id: `last ${k}`, content: 'heron last' })));
    await store.search('heron');
    await store.close();
    expect(saved('change IS NULL')).toBe(0);
    expect(saved('change IS NOT NULL')).toBe(1);
    const orphans =
      'SELECT count(*) AS count FROM keepsake_pages WHERE place >> 20 NOT IN (SELECT saved FROM keepsake_indexes)';
    expect(database.prepare(orphans).get()).toEqual({ count: 0 });
    database.close();
  }
  show(
    context,
    11,
    `in SQLite: ${killed} processes of ${2 * killed} that changed, searched and saved the index were killed, ${unfinished} of them in the middle of an index; ${count(acknowledged)} rounds of changes acknowledged, none missed by any search; the next index was saved each time`,
  );
});
