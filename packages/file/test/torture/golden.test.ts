import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rounds } from '@keepsake/testing/share';
import { show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { runTogether } from '../child.ts';
import { batchOf, type Job, recordId, type TestItem } from '../children/job.ts';
import { places } from './places.ts';

/* Several processes of this version open data of released versions at once. test/golden.test.ts reads all of it. */

const { place } = places();
const GOLDEN = join(import.meta.dirname, '../golden');
const PROCESSES = 8;
const ROUNDS = rounds(5);
const versions = readdirSync(GOLDEN).filter((name) => /^version-\d+$/.test(name));

it.for(versions)(
  'the data of %s stays intact while several processes open and extend it at once',
  async (version, context) => {
    const expected: { items: Record<string, TestItem[]>; root: { id: string }[] } = JSON.parse(
      readFileSync(join(GOLDEN, `${version}.json`), 'utf8'),
    );
    for (let round = 0; round < ROUNDS; round++) {
      const directory = place();
      cpSync(join(GOLDEN, version), directory, { recursive: true });
      const open = (sessionId: string) => new FileSession<TestItem>({ directory, sessionId, onCorrupt() {} });
      const writers = Array.from({ length: PROCESSES }, (_, n) => `w${n}`);
      const sessionIds = Object.keys(expected.items);
      await runTogether([
        ...writers.map((writer, n): Job => {
          return {
            task: 'append',
            directory,
            sessionId: sessionIds[n % sessionIds.length] as string,
            writer,
            times: 3,
          };
        }),
        ...writers.map((writer): Job => ({ task: 'putMany', directory, writer, times: 3 })),
      ]);
      for (const [index, [sessionId, items]] of Object.entries(expected.items).entries()) {
        const found = await open(sessionId).getItems();
        expect(found.slice(0, items.length)).toEqual(items);
        const added = writers.filter((_, n) => n % sessionIds.length === index);
        expect(found).toHaveLength(items.length + 3 * added.length);
        for (const writer of added) {
          const own = found.slice(items.length).filter((item) => item.writer === writer);
          expect(own).toEqual([0, 1, 2].flatMap((batch) => batchOf({ writer }, batch)));
        }
      }
      const { items } = await new FileStore({ directory, name: 'memory' }).list({ limit: 1000 });
      const ids = writers.flatMap((writer) => [0, 1, 2].flatMap((batch) => batchOf({ writer }, batch)).map(recordId));
      expect(items.map(({ id }) => id).sort()).toEqual([...expected.root.map(({ id }) => id), ...ids].sort());
      expect((await new FileSessionStore({ directory, onCorrupt() {} }).list()).items).toHaveLength(sessionIds.length);
    }
    show(
      context,
      21,
      `data of ${version}, opened and written by ${2 * PROCESSES} processes at once, rounds: ${ROUNDS}; the original and the added data are complete; test/golden.test.ts reads the rest`,
    );
  },
);
