import type { StoreCapabilities } from '@keepsake/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordStoreCases } from '../../src/record-store/cases.ts';
import type { RecordStoreCase } from '../../src/record-store/helpers.ts';
import { mutants } from './mutants/mutants.ts';
import { ALL, NO_FILTER, NONE } from './reference.ts';
import { referenceHarness } from './reference-harness.ts';

// Generated cases must detect their mutants in every run, not by chance.
const before = fc.readConfigureGlobal();
beforeAll(() => fc.configureGlobal({ ...before, seed: 1 }));
afterAll(() => fc.configureGlobal(before));

const cases = recordStoreCases.flatMap((group) => group.cases);

/** Capabilities of a backend that the case applies to. */
function capabilitiesFor({ when }: RecordStoreCase): StoreCapabilities {
  const fitting = [ALL, NONE, NO_FILTER].find((capabilities) => when?.(capabilities) ?? true);
  if (fitting === undefined) throw new Error('No capabilities require this case');
  return fitting;
}

describe('each case of the record store kit', () => {
  it('has a unique title and a mutant', () => {
    const titles = cases.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    const message = 'Each case needs a mutant under its title, in a file of test/record-store/mutants';
    expect(Object.keys(mutants).sort(), message).toEqual(titles.toSorted());
  });

  for (const one of cases) {
    const capabilities = capabilitiesFor(one);

    it(`passes on the reference: ${one.title}`, async () => {
      await one.run(referenceHarness({ capabilities }), capabilities);
    });

    it(`fails on a store that breaks it: ${one.title}`, async () => {
      const harness = referenceHarness({ capabilities, ...mutants[one.title] });
      const failure: unknown = await one.run(harness, capabilities).catch((error: unknown) => error);
      expect(failure, 'The case passes on a store that breaks its promise').toBeInstanceOf(Error);
      expect(failure, 'A mutant that crashes proves nothing').not.toBeInstanceOf(TypeError);
    });
  }
});
