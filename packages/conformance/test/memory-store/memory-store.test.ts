import { describe, expect, it } from 'vitest';
import { memoryStoreCases } from '../../src/memory-store/cases.ts';
import { describeMemoryStore } from '../../src/memory-store/describe-memory-store.ts';
import type { MemoryStoreCapabilities, MemoryStoreCase } from '../../src/memory-store/harness.ts';
import { mutants } from './mutants.ts';
import { DISTILLING, LEAST, memoryHarness, WHOLE } from './reference.ts';

const variants = {
  'the reference': WHOLE,
  'a reference that distils': DISTILLING,
  'a reference that only searches': LEAST,
};

for (const [name, capabilities] of Object.entries(variants)) {
  describeMemoryStore({ describe, it, name, capabilities, harness: () => memoryHarness(capabilities) });
}

const cases = memoryStoreCases.flatMap((group) => group.cases);

function capabilitiesFor({ when }: MemoryStoreCase): MemoryStoreCapabilities {
  const fitting = Object.values(variants).find((capabilities) => when?.(capabilities) ?? true);
  if (fitting === undefined) throw new Error('No capabilities require this case');
  return fitting;
}

describe('each case of the memory store kit', () => {
  it('has a unique title and a mutant', () => {
    const titles = cases.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(Object.keys(mutants).sort()).toEqual(titles.toSorted());
  });

  for (const one of cases) {
    const capabilities = capabilitiesFor(one);

    it(`passes on the reference: ${one.title}`, async () => {
      await one.run(memoryHarness(capabilities), capabilities);
    });

    it(`fails on a store that breaks it: ${one.title}`, async () => {
      const harness = memoryHarness(capabilities, mutants[one.title]);
      const failure: unknown = await one.run(harness, capabilities).catch((error: unknown) => error);
      expect(failure, 'The case passes on a store that breaks its promise').toBeInstanceOf(Error);
      expect(failure, 'A mutant that crashes proves nothing').not.toBeInstanceOf(TypeError);
    });
  }
});
