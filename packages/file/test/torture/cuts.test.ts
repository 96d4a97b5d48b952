import { readFileSync, truncateSync } from 'node:fs';
import { basename } from 'node:path';
import { step } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { describe, expect, it } from 'vitest';
import { FileSession } from '../../src/index.ts';
import { type LogOwner, lineStarts, removeCompanions, Snapshot, sessions, stores } from './logs.ts';
import { places } from './places.ts';

/* Truncates logs at any byte, as a crash of the machine can: all complete batches are read, and changes still work. */

const { place } = places();
const BATCHES = [['a'], ['b', 'c'], ['ä'], ['€', '💡é', '語\u2028'], ['ü💡'], ['next to last €'], ['last 💡💡💡']];
const NEXT = ['next 💡', 'and next'];
/** 1 in a full run. */
const STEP = step(10);
const WHERE = STEP === 1 ? 'at every byte' : `at one byte in ${STEP}`;

/** Texts that make a log long enough for files beside it, such as an index. */
const LONG = Array.from({ length: 24 }, (_, n) => `long ${n}`);

/** A log of batches after optional long ones, and the offset of each batch's end. */
async function batchesOf(owner: LogOwner, long: readonly string[] = []) {
  const directory = place();
  for (const text of long) await owner.addLong(directory, text, 55_000);
  const ends: number[] = [];
  for (const batch of BATCHES) {
    await owner.add(directory, batch);
    ends.push(readFileSync(new Snapshot(directory).log).length);
  }
  const snapshot = new Snapshot(directory);
  const log = readFileSync(snapshot.log);
  return { snapshot, log, ends, lines: lineStarts(log) };
}

describe.each([sessions, stores])('a truncated log of $name', (owner) => {
  it(`keeps all complete batches if it ends ${WHERE} of its last three records, or earlier`, async (context) => {
    const { snapshot, log, ends, lines } = await batchesOf(owner);
    const lastThree = lines.at(-4) as number;
    const header = lines[1] as number;
    // The last records contain characters of several bytes.
    expect(log.subarray(lastThree).some((byte) => byte > 127)).toBe(true);
    let cuts = 0;
    let inside = 0;
    // The files beside a log may be outdated or lost.
    for (const alone of snapshot.others.length > 0 ? [false, true] : [false]) {
      for (let length = header; length <= log.length; length++) {
        // Only every seventh byte of the earlier part, but each one inside a character.
        const isInside = length < log.length && ((log[length] as number) & 0xc0) === 0x80;
        if (!isInside && length % (length < lastThree ? 7 * STEP : STEP) > 0) continue;
        snapshot.restore();
        if (alone) removeCompanions(snapshot.log);
        truncateSync(snapshot.log, length);
        const whole = BATCHES.filter((_, n) => (ends[n] as number) <= length).flat();
        expect(await owner.read(snapshot.directory)).toEqual({ texts: whole, reports: [] });
        await owner.add(snapshot.directory, NEXT);
        expect(await owner.read(snapshot.directory)).toEqual({ texts: [...whole, ...NEXT], reports: [] });
        cuts++;
        if (isInside) inside++;
      }
    }
    expect(inside).toBeGreaterThan(10);
    show(
      context,
      12,
      `${owner.name}: log cut ${count(cuts)} times, ${WHERE} of its last 3 records (${inside} times inside a character): all complete batches are read, and the next batch is read back`,
    );
  });

  it('keeps all complete batches if it is long and has files beside it', async (context) => {
    const { snapshot, log, ends, lines } = await batchesOf(owner, LONG);
    const others = snapshot.others.map((path) => basename(path));
    let cuts = 0;
    for (const alone of others.length > 0 ? [false, true] : [false]) {
      for (let length = lines.at(-4) as number; length <= log.length; length += 11 * STEP) {
        snapshot.restore();
        if (alone) removeCompanions(snapshot.log);
        truncateSync(snapshot.log, length);
        const whole = [...LONG, ...BATCHES.filter((_, n) => (ends[n] as number) <= length).flat()];
        expect(await owner.read(snapshot.directory)).toEqual({ texts: whole, reports: [] });
        await owner.add(snapshot.directory, NEXT);
        expect(await owner.read(snapshot.directory)).toEqual({ texts: [...whole, ...NEXT], reports: [] });
        cuts++;
      }
      // Also far earlier, where an index covers records that are gone.
      for (let batch = 0; batch < LONG.length; batch += 5) {
        snapshot.restore();
        if (alone) removeCompanions(snapshot.log);
        truncateSync(snapshot.log, (lines[batch + 1] as number) + 5);
        expect((await owner.read(snapshot.directory)).texts).toEqual(LONG.slice(0, batch));
        await owner.add(snapshot.directory, NEXT);
        expect((await owner.read(snapshot.directory)).texts).toEqual([...LONG.slice(0, batch), ...NEXT]);
        cuts++;
      }
    }
    const beside = others.length > 0 ? `with ${others.join(', ')} beside it, and without` : 'with nothing beside it';
    show(context, 12, `${owner.name}: log of ${count(log.length)} bytes, ${beside}, cut ${cuts} times: the same`);
  });

  it('keeps all complete batches if the first batch after the truncation is truncated too', async (context) => {
    const { snapshot, ends } = await batchesOf(owner);
    const whole = BATCHES.slice(0, 3).flat();
    let cuts = 0;
    for (let length = ends[2] as number; length < (ends[3] as number); length += 13 * STEP) {
      snapshot.restore();
      truncateSync(snapshot.log, length);
      await owner.add(snapshot.directory, NEXT);
      const once = new Snapshot(snapshot.directory);
      const end = readFileSync(once.log).length;
      for (let second = length; second < end; second += 31 * STEP) {
        once.restore();
        truncateSync(once.log, second);
        expect((await owner.read(once.directory)).texts).toEqual(whole);
        await owner.add(once.directory, NEXT);
        expect(await owner.read(once.directory)).toEqual({ texts: [...whole, ...NEXT], reports: [] });
        cuts++;
      }
    }
    show(context, 12, `${owner.name}: cut a second time, in the next batch, ${count(cuts)} times: the same`);
  });
});

describe('a log of sessions', () => {
  it('is read again by an open instance after it is truncated', async (context) => {
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
      `sessions: cut under an open instance ${cuts} times: it reads all complete batches, and its next batch is read back`,
    );
  });
});
