import { describe, it } from 'vitest';
import { describeSessionStore } from '../../src/index.ts';
import { ReferenceStore, storeHarnessOf } from './reference-store.ts';

for (const shared of [true, false]) {
  describeSessionStore({
    name: shared ? 'the reference' : 'a reference that shares nothing',
    describe,
    it,
    capabilities: { shared },
    harness: () => storeHarnessOf(ReferenceStore, shared),
  });
}
