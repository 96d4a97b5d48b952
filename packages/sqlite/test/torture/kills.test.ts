import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OtherProcess } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import { newFile } from '../temporary-file.ts';
import { afterStep, EMPTY, openPlace, type Plan, type State } from './plan.ts';
import { readAll } from './read-all.ts';

const PROGRAM = join(import.meta.dirname, '../programs/follow-plan.ts');
const PER_FILE = 5;
const FILES = rounds(40);

/** Kills a process some time after `steps` acknowledged steps. Returns how many steps were acknowledged. */
async function killAfter(plan: Plan, steps: number, ms: number): Promise<number> {
  const other = new OtherProcess(PROGRAM, JSON.stringify(plan));
  await other.ready;
  other.go();
  await other.printed(steps);
  await sleep(ms);
  other.kill();
  await other.end;
  expect(other.lines).toEqual(other.lines.map((_, n) => `${plan.first + n}`));
  return other.lines.length;
}

const sameState = (a: State, b: State) =>
  JSON.stringify([a.items, [...a.records]]) === JSON.stringify([b.items, [...b.records]]);

it(`kill -9 ${FILES * PER_FILE} times during changes: nothing acknowledged is lost, and no change is there in part`, async (context) => {
  const random = randomOf('kills');
  let [acknowledged, unacknowledged] = [0, 0];
  for (let n = 0; n < FILES; n++) {
    const file = newFile();
    const durability = n % 2 === 0 ? 'sync' : 'os';
    let state = EMPTY;
    for (let kill = 0; kill < PER_FILE; kill++) {
      const writer = `${n}.${kill}`;
      const first = Math.floor(random() * 30);
      // Every other process makes more than one change, so that some are killed in the middle of their plans.
      const done = await killAfter({ file, writer, durability, first }, 1 + (kill % 2), random() * 200);
      for (let step = 0; step < done; step++) state = afterStep(state, writer, first + step);
      acknowledged += done;
      const found = await readAll(file);
      const next = afterStep(state, writer, first + done);
      if (!sameState(found, state)) {
        expect(found.items).toEqual(next.items);
        expect([...found.records]).toEqual([...next.records]);
        state = next;
        unacknowledged++;
      }
      // The next change of this process continues from there.
      const item = { after: writer };
      await openPlace({ file, durability }).session.addItems([item]);
      state = { ...state, items: [...state.items, item] };
    }
    expect(sameState(await readAll(file), state)).toBe(true);
  }
  expect(acknowledged).toBeGreaterThan(FILES * PER_FILE);
  show(
    context,
    11,
    `in SQLite: ${FILES * PER_FILE} kills -9 during appends, operations, pops, puts, deletes, clears and compactions, ${count(acknowledged)} changes acknowledged, 0 lost; ${unacknowledged} that were not acknowledged were there whole, 0 in part; integrity_check ok and the index equal to the records each time`,
  );
});
