import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { FileSessionStore } from '../../src/index.ts';
import { Child } from '../child.ts';
import { places } from './places.ts';

/* Kills two processes that use many sessions, while others list them, and compares the lists with the logs. */

const { root, place } = places();

const ROUNDS = rounds(100);

/** The list of a copy without the files of the list. */
async function listedAnew(directory: string, copy: string) {
  cpSync(directory, copy, { recursive: true });
  rmSync(join(copy, 'sessions', '.index'), { recursive: true, force: true });
  const { items } = await new FileSessionStore({ directory: copy }).list({ limit: 1_000 });
  rmSync(copy, { recursive: true });
  return items;
}

it(`a list agrees with the logs after ${ROUNDS} kills of two processes`, { timeout: 600_000 }, async (context) => {
  const directory = place();
  const stores = [new FileSessionStore({ directory }), new FileSessionStore({ directory })];
  for (let round = 0; round < ROUNDS; round++) {
    const writers = ['one', 'two'].map((writer) => new Child('worker', { task: 'useSessions', directory, writer }));
    await Promise.all(writers.map((child) => child.line('ready')));
    for (const child of writers) child.go();
    // A different number of changes each time.
    while (writers.some((child) => child.acknowledged.length < 3 + ((round * 37) % 60))) {
      // Lists alone would not let the output of the children in.
      await turn();
      for (const store of stores) await store.list({ limit: 5 });
    }
    for (const child of writers) child.kill('SIGKILL');
    await Promise.all(writers.map((child) => child.end));
    const items = await listedAnew(directory, join(root, `copy ${round}`));
    for (const store of [...stores, new FileSessionStore({ directory })]) {
      expect((await store.list({ limit: 1_000 })).items).toEqual(items);
    }
  }
  show(context, 47, `${count(2 * ROUNDS)} kills of writers, and each list agreed with the logs`);
});
