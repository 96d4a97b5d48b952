import type { MemoryRecord, RecordStore } from '@keepsake/core';
import { inOtherProcesses, OtherProcess } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { untilStill } from '@keepsake/testing/until-still';
import { describe, expect, it, type TestOptions } from 'vitest';
import type { HistoryJob } from './use-history.ts';

const PROCESSES = rounds(4, 3);
const RECORDS = 25;
const KILLS = rounds(5);

/** An empty store for one test. */
interface Place {
  open(): RecordStore;
  /** Returns the argument for the program. */
  jobOf(job: HistoryJob): string;
}

/**
 * Histories of a store that several processes share.
 *
 * @param program - A program that calls `useHistory`.
 * @param killing - Options of the test that kills processes.
 */
export function describeHistoryProcesses(
  where: string,
  program: string,
  newPlace: () => Place | Promise<Place>,
  killing: TestOptions = {},
): void {
  describe(`histories that several processes share ${where}`, () => {
    it('of the processes that supersede one record at once, exactly one wins', { timeout: 60_000 }, async () => {
      const place = await newPlace();
      const store = place.open();
      await store.putMany(numbers(RECORDS).map((n) => ({ id: `${n}`, content: `heron ${n}` })));
      const jobs = numbers(PROCESSES).map((n) => place.jobOf({ task: 'race', writer: `w${n}`, times: RECORDS }));
      const won = await inOtherProcesses(program, jobs);
      expect(won.flat().map(Number).sort(ascending)).toEqual(numbers(RECORDS));
      const current = await all(store, {});
      expect(current.map(({ supersedes }) => Number(supersedes)).sort(ascending)).toEqual(numbers(RECORDS));
      for (const [writer, ids] of won.entries()) {
        for (const id of ids) expect((await store.get(id))?.supersededBy).toBe(`${id} by w${writer}`);
      }
      expect(await all(store, { history: true })).toHaveLength(2 * RECORDS);
    });

    it('a process that is killed leaves a whole history, and a deletion that is killed can be repeated', {
      ...killing,
      timeout: 120_000,
    }, async () => {
      const place = await newPlace();
      const store = place.open();
      for (const kill of [1, 2, 3, 4, 0].slice(0, KILLS)) {
        await store.put({ id: '0', content: 'heron 0' });
        const jobs = numbers(2).map((n) => place.jobOf({ task: 'extend', writer: `w${n}` }));
        const acknowledged = await killed(program, jobs, 150 + 100 * kill);
        const ids = async () => (await all(store, { history: true })).map(({ id }) => id);
        await untilStill(ids);
        const versions = await store.history('0');
        for (const id of acknowledged) expect(versions.map((record) => record.id)).toContain(id);
        for (const [at, record] of versions.entries()) {
          expect([record.supersedes, record.supersededBy]).toEqual([versions[at - 1]?.id, versions[at + 1]?.id]);
          expect(record.validUntil).toBe(versions[at + 1]?.validFrom);
        }
        expect(await all(store, {})).toEqual(versions.slice(-1));
        expect(await all(store, { history: true })).toHaveLength(versions.length);
        await killed(program, [place.jobOf({ task: 'delete', writer: 'w' })], 10 * kill);
        await untilStill(ids);
        await store.delete('0');
        expect(await all(store, { history: true })).toEqual([]);
      }
    });
  });
}

/** Runs a program for each job, and kills them all after some time. Returns what they printed. */
async function killed(program: string, jobs: readonly string[], afterMs: number): Promise<string[]> {
  const others = jobs.map((job) => new OtherProcess(program, job));
  await Promise.all(others.map(({ ready }) => ready));
  for (const other of others) other.go();
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  for (const other of others) other.kill();
  await Promise.all(others.map(({ end }) => end));
  return others.flatMap(({ lines }) => lines);
}

async function all(store: RecordStore, options: { readonly history?: boolean }): Promise<MemoryRecord[]> {
  const records: MemoryRecord[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await store.list({ ...options, limit: 1_000, ...(cursor !== undefined && { cursor }) });
    records.push(...page.items);
    cursor = page.cursor;
  }
  return records;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

function ascending(a: number, b: number): number {
  return a - b;
}
