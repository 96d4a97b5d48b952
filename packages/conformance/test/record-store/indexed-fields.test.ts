import type { RecordStore } from '@keepsake/core';
import { indexedFields } from '@keepsake/core/adapter';
import { describe, expect, it } from 'vitest';
import {
  describeIndexedFields,
  type IndexedFieldsHarness,
  indexedFieldsCases,
} from '../../src/record-store/indexed-fields.ts';
import { ALL } from './reference.ts';
import { referenceHarness } from './reference-harness.ts';

/** How an index is broken. */
interface Fault {
  /** Whether the index misses a record, by the number of its puts and of those through stores without the option. */
  readonly misses?: (id: string, puts: number, plainPuts: number, depth: number) => boolean;
  readonly checksNothing?: boolean;
}

const FAULTS: { readonly [title: string]: Fault } = {
  'a store with indexed fields finds and lists the same as one without': { misses: (id) => id === '3' },
  'records count that were written before the declaration': { misses: (_, _puts, plainPuts) => plainPuts > 0 },
  'records count that another store wrote without the declaration': { misses: (_, _puts, plainPuts) => plainPuts > 0 },
  'changed and deleted records are found by their current values only': { misses: (_, puts) => puts > 1 },
  'a declaration covers the namespaces below, and two tenants stay apart': {
    misses: (_id, _puts, _plain, depth) => depth > 0,
  },
  'refuses what is no list of different metadata or source fields': { checksNothing: true },
};

/** Reference stores that ignore the option, or whose index is broken. */
function harness(fault: Fault = {}): IndexedFieldsHarness {
  const { open } = referenceHarness();
  const puts = new Map<string, number>();
  const plainPuts = new Map<string, number>();
  const wrap = (store: RecordStore, isIndexed: boolean, depth: number): RecordStore =>
    new Proxy(store, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        if (property === 'within') return (path: string[]) => wrap(target.within(path), isIndexed, depth + path.length);
        return async (...args: unknown[]) => {
          const result: unknown = await value.apply(target, args);
          if (property === 'put' || property === 'putMany') {
            for (const { id } of [result].flat() as { id: string }[]) {
              puts.set(id, (puts.get(id) ?? 0) + 1);
              if (!isIndexed) plainPuts.set(id, (plainPuts.get(id) ?? 0) + 1);
            }
          }
          const misses = ({ id = '' }) => fault.misses?.(id, puts.get(id) ?? 0, plainPuts.get(id) ?? 0, depth) ?? false;
          if (!isIndexed || property !== 'search') return result;
          return (result as { id?: string }[]).filter((entry) => !misses(entry));
        };
      },
    });
  return {
    open({ indexed, ...options } = {}) {
      if (fault.checksNothing !== true) indexedFields(indexed);
      return wrap(open(options), indexed !== undefined, 0);
    },
  };
}

describeIndexedFields({ describe, it, name: 'the reference', capabilities: ALL, harness: () => harness() });

describe('each case of indexed fields', () => {
  const cases = indexedFieldsCases.flatMap((group) => group.cases);

  it('has a fault', () => expect(Object.keys(FAULTS)).toEqual(cases.map(({ title }) => title)));

  it.each(cases)('fails on an index that breaks it: $title', async ({ title, run }) => {
    await expect(run(harness(FAULTS[title]), ALL)).rejects.toBeInstanceOf(Error);
  });
});
