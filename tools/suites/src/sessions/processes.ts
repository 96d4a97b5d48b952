import type { Session } from '@keepsake/core';
import { inOtherProcesses } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { describe, expect, it } from 'vitest';
import { nameOf, type SessionJob } from './use-session.ts';

const PROCESSES = 8;
const BATCHES = rounds(100);
const ITEMS = rounds(500);

/** A session for one test. */
interface Place {
  open(): Session;
  /** Returns the argument for the program. */
  jobOf(job: SessionJob): string;
}

/**
 * Eight processes on one session.
 *
 * @param program - A program that calls `useSession`.
 */
export function describeSessionProcesses(where: string, program: string, newPlace: () => Place): void {
  const inEach = (place: Place, job: Omit<SessionJob, 'writer'>) =>
    inOtherProcesses(
      program,
      Array.from({ length: PROCESSES }, (_, index) => place.jobOf({ ...job, writer: `w${index}` })),
    );

  describe(`eight processes on one session ${where}`, () => {
    it(`that append ${BATCHES} batches each: every batch is stored once and whole, in the order of its writer`, async (context) => {
      const place = newPlace();
      const said = await inEach(place, { task: 'append', times: BATCHES });
      const items = await place.open().getItems();
      expect(items).toHaveLength(5 * PROCESSES * BATCHES);
      const next = new Map<unknown, number>();
      for (let at = 0; at < items.length; at += 5) {
        const { writer, batch } = items[at] ?? {};
        expect(batch, `writer ${writer}`).toBe(next.get(writer) ?? 0);
        next.set(writer, Number(batch) + 1);
        for (let index = 0; index < 5; index++) expect(items[at + index]).toMatchObject({ writer, batch, index });
      }
      const whole = items.map(nameOf);
      const reads = said.flat().filter((line) => line.startsWith('['));
      expect(reads).toHaveLength(PROCESSES * Math.ceil(BATCHES / 20));
      for (const line of reads) {
        const read = JSON.parse(line) as string[];
        expect(read).toEqual(whole.slice(0, read.length));
      }
      show(
        context,
        1,
        `${where}: ${PROCESSES} processes × ${BATCHES} batches × 5 items on one session: ${count(items.length)} items, each batch once and whole, each writer in its order, ${reads.length} reads in between all beginnings of the whole`,
      );
    });

    it(`that pop ${ITEMS} items: every item is returned once`, async (context) => {
      const place = newPlace();
      const session = place.open();
      await session.addItems(Array.from({ length: ITEMS }, (_, number) => ({ number })));
      const popped = (await inEach(place, { task: 'pop' })).flat();
      expect(popped.map(Number).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: ITEMS }, (_, number) => number),
      );
      expect(await session.getItems()).toEqual([]);
      show(
        context,
        2,
        `${where}: ${PROCESSES} processes popped ${count(popped.length)} items of one session, each exactly once`,
      );
    });
  });
}
