import { describe, expect, it } from 'vitest';
import { checkRecordHistories, recordClient } from '../../src/index.ts';
import { linearizabilityMutants } from './mutants/concurrent.ts';
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
});
