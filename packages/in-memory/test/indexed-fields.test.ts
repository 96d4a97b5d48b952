import { describeIndexedFields } from '@keepsake/conformance';
import type { RecordStore } from '@keepsake/core';
import { describe, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

const WRITES: ReadonlySet<PropertyKey> = new Set(['put', 'putMany', 'delete', 'clear']);

/** A store that writes to another one too, because two of them share no records. */
function writingToBoth(store: RecordStore, other: RecordStore): RecordStore {
  return new Proxy(store, {
    get(target, property) {
      if (property === 'within') {
        return (...path: Parameters<RecordStore['within']>) =>
          writingToBoth(target.within(...path), other.within(...path));
      }
      const method: unknown = Reflect.get(target, property);
      if (typeof method !== 'function') return method;
      return async (...call: unknown[]) => {
        if (WRITES.has(property)) await Reflect.apply(Reflect.get(other, property), other, call);
        return Reflect.apply(method, target, call);
      };
    },
  });
}

describeIndexedFields({
  describe,
  it,
  name: 'InMemoryStore',
  capabilities: new InMemoryStore({ name: 'memory' }).capabilities,
  harness() {
    const [plain, indexing] = [
      new InMemoryStore({ name: 'memory' }),
      new InMemoryStore({ name: 'memory', indexed: ['kind', 'tag', 'source.kind', 'source.run'] }),
    ];
    return {
      open({ namespace = [], indexed, ...identity } = {}) {
        // Refuses what can't be declared.
        new InMemoryStore({ name: 'memory', indexed });
        const [store, other] = indexed === undefined ? [plain, indexing] : [indexing, plain];
        return writingToBoth(store, other).within(namespace, identity);
      },
    };
  },
});
