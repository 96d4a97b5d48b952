import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import { sessionStoreCases } from '../../src/session-store/cases.ts';
import { failureWithin } from '../session/failure-within.ts';
import { isVerdict } from '../session/is-verdict.ts';
import { storeMutants } from './mutants/index.ts';
import { ReferenceStore, storeHarnessOf } from './reference-store.ts';

describe('each case of the session store kit passes on the reference and fails on its mutants', () => {
  for (const { concern, cases } of sessionStoreCases) {
    describe(concern, () => {
      for (const one of cases) {
        it(one.title, async () => {
          const shared = one.when?.({ shared: true }) ?? true;
          const run = (Store: typeof ReferenceStore) =>
            failureWithin(30_000, () => one.run(storeHarnessOf(Store, shared), { shared }));
          const mutants = [storeMutants[concern]?.[one.title] ?? []].flat();
          assert.ok(mutants.length > 0, 'a case needs a mutant');
          expect(await run(ReferenceStore)).toBe(undefined);
          for (const Mutant of mutants) expect(await run(Mutant)).toSatisfy(isVerdict);
        });
      }
    });
  }

  it('every mutant belongs to a case', () => {
    const titles = sessionStoreCases.flatMap(({ concern, cases }) => cases.map(({ title }) => `${concern}: ${title}`));
    const mutated = Object.entries(storeMutants).flatMap(([concern, mutants]) =>
      Object.keys(mutants).map((title) => `${concern}: ${title}`),
    );
    expect(mutated.sort()).toEqual(titles.sort());
    expect(new Set(titles).size).toBe(titles.length);
  });
});
