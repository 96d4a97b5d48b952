import { readFileSync, truncateSync } from 'node:fs';
import { basename } from 'node:path';
import { count, show } from '@keepsake/testing/torture/figures';
import { step } from '@keepsake/testing/torture/share';
import { describe, expect, it } from 'vitest';
import { FileSession } from '../../src/index.ts';
import { type Keeper, lineStarts, removeCompanions, Snapshot, sessions, stores } from './logs.ts';
import { places } from './places.ts';

/* A log ends at any byte, as after a crash of the machine: what is whole is there, and the next change goes on. */

const { place } = places();
const BATCHES = [['a'], ['b', 'c'], ['ä'], ['€', '💡é', '語\u2028'], ['ü💡'], ['next to last €'], ['last 💡💡💡']];
const NEXT = ['next 💡', 'and next'];
/** In full, one. */
const STEP = step(3);
const WHERE = STEP === 1 ? 'at every byte' : `at one byte in ${STEP}`;

/** Texts that make a log so long that more may stand beside it. */
const LONG = Array.from({ length: 24 }, (_, n) => `long ${n}`);

/** A log of batches, after long ones where it is to be long; and where each batch ends. */
async function batchesOf(keeper: Keeper, long: readonly string[] = []) {
  const directory = place();
  for (const text of long) await keeper.addLong(directory, text, 55_000);
  const ends: number[] = [];
  for (const batch of BATCHES) {
    await keeper.add(directory, batch);
    ends.push(readFileSync(new Snapshot(directory).log).length);
  }
  const snapshot = new Snapshot(directory);
  const log = readFileSync(snapshot.log);
  return { snapshot, log, ends, lines: lineStarts(log) };
}

describe.each([sessions, stores])('a log of $name that is cut', (keeper) => {
  it(`${WHERE} of its last three records, and now and then before`, async (context) => {
    const { snapshot, log, ends, lines } = await batchesOf(keeper);
    const lastThree = lines.at(-4) as number;
    const header = lines[1] as number;
    // The last records hold characters of several bytes.
    expect(log.subarray(lastThree).some((byte) => byte > 127)).toBe(true);
    let cuts = 0;
    let inside = 0;
    // What stands beside a log may not fit it any more, or be lost.
    for (const alone of snapshot.others.length > 0 ? [false, true] : [false]) {
      for (let length = header; length <= log.length; length++) {
        // Further up, every seventh will do.
        if (length % (length < lastThree ? 7 * STEP : STEP) > 0) continue;
        snapshot.restore();
        if (alone) removeCompanions(snapshot.log);
        truncateSync(snapshot.log, length);
        const whole = BATCHES.filter((_, n) => (ends[n] as number) <= length).flat();
        expect(await keeper.read(snapshot.directory)).toEqual({ texts: whole, reports: [] });
        await keeper.add(snapshot.directory, NEXT);
        expect(await keeper.read(snapshot.directory)).toEqual({ texts: [...whole, ...NEXT], reports: [] });
        cuts++;
        if (length < log.length && ((log[length] as number) & 0xc0) === 0x80) inside++;
      }
    }
    expect(inside).toBeGreaterThan(10 / STEP);
    show(
      context,
      12,
      `${keeper.name}: log cut ${count(cuts)} times, ${WHERE} of its last 3 records (${inside} times inside a character): opens each time with all that is whole; the next batch reads back`,
    );
  });

  it('in a long log, with what stands beside it', async (context) => {
    const { snapshot, log, ends, lines } = await batchesOf(keeper, LONG);
    const others = snapshot.others.map((path) => basename(path));
    let cuts = 0;
    for (const alone of others.length > 0 ? [false, true] : [false]) {
      for (let length = lines.at(-4) as number; length <= log.length; length += 11 * STEP) {
        snapshot.restore();
        if (alone) removeCompanions(snapshot.log);
        truncateSync(snapshot.log, length);
        const whole = [...LONG, ...BATCHES.filter((_, n) => (ends[n] as number) <= length).flat()];
        expect(await keeper.read(snapshot.directory)).toEqual({ texts: whole, reports: [] });
        await keeper.add(snapshot.directory, NEXT);
        expect(await keeper.read(snapshot.directory)).toEqual({ texts: [...whole, ...NEXT], reports: [] });
        cuts++;
      }
      // Far above, too, where an index may know of what is gone.
      for (let batch = 0; batch < LONG.length; batch += 5) {
        snapshot.restore();
        if (alone) removeCompanions(snapshot.log);
        truncateSync(snapshot.log, (lines[batch + 1] as number) + 5);
        expect((await keeper.read(snapshot.directory)).texts).toEqual(LONG.slice(0, batch));
        await keeper.add(snapshot.directory, NEXT);
        expect((await keeper.read(snapshot.directory)).texts).toEqual([...LONG.slice(0, batch), ...NEXT]);
        cuts++;
      }
    }
    const beside = others.length > 0 ? `with ${others.join(', ')} beside it, and without` : 'nothing beside it';
    show(context, 12, `${keeper.name}: log of ${count(log.length)} bytes, ${beside}, cut ${cuts} times: the same`);
  });

  it('again in the middle of what closed the cut', async (context) => {
    const { snapshot, ends } = await batchesOf(keeper);
    const whole = BATCHES.slice(0, 3).flat();
    let cuts = 0;
    for (let length = ends[2] as number; length < (ends[3] as number); length += 13 * STEP) {
      snapshot.restore();
      truncateSync(snapshot.log, length);
      await keeper.add(snapshot.directory, NEXT);
      const once = new Snapshot(snapshot.directory);
      const end = readFileSync(once.log).length;
      for (let second = length; second < end; second += 31 * STEP) {
        once.restore();
        truncateSync(once.log, second);
        expect((await keeper.read(once.directory)).texts).toEqual(whole);
        await keeper.add(once.directory, NEXT);
        expect(await keeper.read(once.directory)).toEqual({ texts: [...whole, ...NEXT], reports: [] });
        cuts++;
      }
    }
    show(
      context,
      12,
      `${keeper.name}: cut a second time, in what the next batch wrote, ${count(cuts)} times: the same`,
    );
  });
});

describe('a log of sessions that is cut', () => {
  it('under an instance that has read it', async (context) => {
    const { snapshot, log, ends, lines } = await batchesOf(sessions);
    let cuts = 0;
    for (let length = lines[1] as number; length < log.length; length += 3 * STEP) {
      snapshot.restore();
      const { directory } = snapshot;
      const session = new FileSession<{ text: string }>({ directory, sessionId: 'chat', durability: 'os' });
      const texts = async () => (await session.getItems()).map(({ text }) => text);
      expect(await texts()).toEqual(BATCHES.flat());
      truncateSync(snapshot.log, length);
      const whole = BATCHES.filter((_, n) => (ends[n] as number) <= length).flat();
      expect(await texts()).toEqual(whole);
      await session.addItems(NEXT.map((text) => ({ text })));
      expect(await texts()).toEqual([...whole, ...NEXT]);
      expect(await sessions.read(directory)).toEqual({ texts: [...whole, ...NEXT], reports: [] });
      cuts++;
    }
    show(
      context,
      12,
      `sessions: cut under an open instance ${cuts} times: it reads what is there, and its next batch reads back`,
    );
  });
});
