import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { startProgram } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { untilStill } from '@keepsake/testing/until-still';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeSaver } from '../../src/index.ts';
import type { RunningBackend } from '../backends/backend.ts';
import { BACKENDS } from '../backends/backends.ts';
import { hugeValue, MEGABYTES } from '../support/huge-value.ts';

const KILLS = rounds(50);
const random = randomOf('kills');
const program = join(import.meta.dirname, '../programs/save-huge.ts');

describe.each(BACKENDS.filter(({ reach }) => reach !== undefined))('KeepsakeSaver on $name', ({ name, start }) => {
  let running: RunningBackend;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running.stop());

  it(`after ${KILLS} kills, each checkpoint and each write of ${MEGABYTES} MB is whole or absent`, {
    timeout: 1_800_000,
  }, async (context) => {
    const place = running.place();
    // The first use creates the place.
    expect(await new KeepsakeSaver({ store: place.open() }).getTuple(inThread(-1))).toBeUndefined();
    const duration = await run([name, place.address ?? '', '0']);
    const found = { absent: 0, saved: 0, written: 0 };
    for (let n = 1; n <= KILLS; n++) {
      const said = await run([name, place.address ?? '', String(n)], random() * duration.ms);
      const saver = new KeepsakeSaver({ store: place.open() });
      await untilStill(async () => {
        const latest = await saver.getTuple(inThread(n));
        return [latest?.checkpoint.id, latest?.pendingWrites?.length];
      });
      const history: CheckpointTuple[] = [];
      for await (const tuple of saver.list(inThread(n))) history.push(tuple);
      const [latest, first] = history.length === 2 ? history : [undefined, ...history];
      expect(first?.checkpoint.channel_values).toEqual({ n, value: 'small' });
      if (latest === undefined) {
        expect(said.lines).toEqual(['saving']);
        found.absent++;
      } else {
        expect(latest.checkpoint.channel_values).toEqual({ n, value: hugeValue(n) });
        const isWritten = latest.pendingWrites?.length !== 0;
        const writes = [
          ['task', 'value', hugeValue(n)],
          ['task', 'n', n],
        ];
        expect(latest.pendingWrites).toEqual(isWritten ? writes : []);
        if (said.lines.includes('written')) expect(isWritten).toBe(true);
        found[isWritten ? 'written' : 'saved']++;
      }
      expect((await saver.getTuple(inThread(n)))?.checkpoint.id).toBe(history[0]?.checkpoint.id);
      await saver.deleteThread(`thread ${n}`);
    }
    show(
      context,
      1,
      `${name}: killed ${count(KILLS)} times while it stored ${MEGABYTES} MB twice: checkpoint absent ${found.absent}, whole ${found.saved}, whole with its write ${found.written}`,
    );
  });
});

/** Runs the program, and kills it `delay` milliseconds after it began to save, if given. */
async function run(
  args: readonly string[],
  delay?: number,
): Promise<{ readonly lines: string[]; readonly ms: number }> {
  const child = startProgram(program, args);
  const lines: string[] = [];
  let began = 0;
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line !== 'saving') continue;
    began = performance.now();
    if (delay !== undefined) void setTimeout(delay).then(() => child.kill('SIGKILL'));
  }
  return { lines, ms: performance.now() - began };
}

const inThread = (n: number) => ({ configurable: { thread_id: `thread ${n}`, checkpoint_ns: '' } });
