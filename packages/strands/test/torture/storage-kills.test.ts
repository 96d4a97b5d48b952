import { once } from 'node:events';
import { join } from 'node:path';
import type { Address } from '@keepsake/suites/stores/backends';
import { startProgram } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { show } from '@keepsake/testing/torture/figures';
import { untilStill } from '@keepsake/testing/until-still';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeStorage } from '../../src/index.ts';
import { backends } from '../support/backends.ts';
import { MEGABYTES, transcript } from '../support/transcript.ts';

const PROGRAM = join(import.meta.dirname, '../programs/write-transcript.ts');
/** At least one writer of a new transcript, and one that replaces another. */
const KILLS = rounds(50, 2);

/** Writes a transcript in another process, which is killed `ms` after it begins. Returns how long it wrote. */
async function write(address: Address | undefined, number: number, ms: number): Promise<number> {
  const child = startProgram(PROGRAM, [JSON.stringify(address), String(number)]);
  const closed = once(child, 'close');
  const lines: string[] = [];
  let began = 0;
  let ended = 0;
  let timer: NodeJS.Timeout | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.trim().split('\n'));
    if (lines.includes('ready') && began === 0) {
      began = performance.now();
      if (ms < Infinity) timer = setTimeout(() => child.kill('SIGKILL'), ms);
    }
    if (lines.includes('written')) ended = performance.now();
  });
  await closed;
  clearTimeout(timer);
  expect(lines[0]).toBe('ready');
  return ended - began;
}

for (const backend of backends.filter(({ shared }) => shared)) {
  describe(backend.name, () => {
    let running: Awaited<ReturnType<typeof backend.start>>;
    beforeAll(async () => {
      running = await backend.start();
    });
    afterAll(() => running.stop());

    it(`a transcript of ${MEGABYTES} MB whose writer is killed at ${KILLS} points is whole or absent`, {
      timeout: 1_800_000,
    }, async (context) => {
      const outcomes = { absent: 0, old: 0, new: 0 };
      const timed = running.makePlace();
      const span = await write(timed.address, 0, Infinity);
      for (let round = 0; round < KILLS; round++) {
        const place = running.makePlace();
        const storage = new KeepsakeStorage({ store: place.open() });
        // Every other transcript replaces one.
        const isNew = round % 2 === 0;
        if (!isNew) await storage.write('transcript', transcript(1));
        await write(place.address, 2, (span * (round + 0.5)) / KILLS);

        const records = async () =>
          (await place.open().within(['storage']).list({ limit: 1_000 })).items.map(({ id }) => id);
        await untilStill(records);
        const read = await storage.read('transcript');
        const outcome = read === null ? 'absent' : isTranscript(read, 2) ? 'new' : 'old';
        if (outcome === 'absent') expect(isNew).toBe(true);
        if (outcome === 'old') expect(!isNew && read !== null && isTranscript(read, 1)).toBe(true);
        expect(await storage.list('')).toEqual(read === null ? [] : ['transcript']);
        outcomes[outcome]++;

        // The next change removes what the killed process left behind.
        await storage.write('transcript', new Uint8Array(1));
        expect(await records()).toHaveLength(2);
      }
      const { absent, old } = outcomes;
      const text = `${backend.name}: killed ${KILLS} writers of ${MEGABYTES} MB within ${Math.round(span)} ms`;
      show(
        context,
        1,
        `${text}: ${absent} times absent, ${old} times the old value, ${outcomes.new} times the new one`,
      );
    });
  });
}

function isTranscript(bytes: Uint8Array, number: number): boolean {
  return Buffer.compare(bytes, transcript(number)) === 0;
}
