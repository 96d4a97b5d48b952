import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCases } from '../../src/session/cases.ts';
import type { SessionCapabilities, SessionCase } from '../../src/session/harness.ts';
import { failureWithin } from './failure-within.ts';
import { isVerdict } from './is-verdict.ts';
import { sessionMutants } from './mutants/index.ts';
import { everything, harnessOf, type SessionClass } from './reference-harness.ts';

// Generated cases must detect their mutants in every run, not by chance.
const before = fc.readConfigureGlobal();
beforeAll(() => fc.configureGlobal({ ...before, seed: 1 }));
afterAll(() => fc.configureGlobal(before));

/** The capabilities of every kind of session. */
const kinds: readonly SessionCapabilities[] = [
  everything,
  { ...everything, shared: false },
  { ...everything, keepsIdOnClear: false },
  { ...everything, anyId: false },
  { ...everything, durable: false },
  { ...everything, itemBytes: 1024 * 1024 },
];

/** How calls meet differs even with one seed: about one run in hundreds misses a fault of concurrent calls. */
const TRIES: Readonly<Record<string, number>> = { linearizability: 3, 'concurrent changes': 3 };

const run = (one: SessionCase, Session: SessionClass, capabilities: SessionCapabilities) =>
  failureWithin(30_000, () => one.run(harnessOf(Session), capabilities));

/* That each case passes on correct sessions is tested in reference.test.ts. */
describe('each case of the session kit fails on its mutants', () => {
  for (const { concern, cases } of sessionCases) {
    describe(concern, () => {
      for (const one of cases) {
        it(one.title, async () => {
          const mutants = [sessionMutants[concern]?.[one.title] ?? []].flat();
          expect(mutants.length, 'a case needs a mutant').toBeGreaterThan(0);
          const capabilities = kinds.find((what) => one.when?.(what) ?? true) ?? assert.fail();
          for (const Mutant of mutants) {
            let failure: unknown;
            for (let n = 0; n < (TRIES[concern] ?? 1) && failure === undefined; n++) {
              failure = await run(one, Mutant, capabilities);
            }
            expect(failure, Mutant.name).toSatisfy(isVerdict);
          }
        });
      }
    });
  }

  it('every mutant belongs to a case', () => {
    const titles = new Set(
      sessionCases.flatMap(({ concern, cases }) => cases.map(({ title }) => `${concern}: ${title}`)),
    );
    const left = Object.entries(sessionMutants).flatMap(([concern, mutants]) =>
      Object.keys(mutants).filter((title) => !titles.has(`${concern}: ${title}`)),
    );
    expect(left).toEqual([]);
  });

  it('titles are unique', () => {
    const titles = sessionCases.flatMap(({ cases }) => cases.map(({ title }) => title));
    expect(new Set(titles).size).toBe(titles.length);
  });
});
