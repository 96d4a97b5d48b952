import { describe, expect, it } from 'vitest';
import { checkRecordHistories, recordClient } from '../../src/index.ts';
import { linearizabilityMutants } from './mutants/concurrent.ts';
import type { Mutant } from './mutants/mutant.ts';
import { ALL } from './reference.ts';
import { referenceHarness } from './reference-harness.ts';

describe('the check of concurrent histories of a store', () => {
  for (const [name, mutant] of Object.entries(linearizabilityMutants)) {
    it(`catches a store that ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`, async () => {
      const harness = referenceHarness({ capabilities: ALL, ...mutant });
      const client = (history: number) => recordClient(harness.open({ namespace: [`history ${history}`] }));
      await expect(checkRecordHistories({ count: 100, client }, ALL)).rejects.toThrow('No order of these calls');
    });
  }

  it('catches a store that gives the same versions again after a deletion', async () => {
    const restarts: Mutant = { replace: (next, before) => (before === undefined ? { ...next, version: 1 } : next) };
    const harness = referenceHarness({ capabilities: ALL, ...restarts });
    const client = (history: number) => recordClient(harness.open({ namespace: [`history ${history}`] }));
    await expect(checkRecordHistories({ count: 100, client }, ALL)).rejects.toThrow('No version comes again');
  });
});
