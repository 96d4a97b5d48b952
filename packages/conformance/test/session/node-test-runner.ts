import { describe, it } from 'node:test';
import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { ReferenceStore, storeHarnessOf } from '../session-store/reference-store.ts';
import { ReferenceSession } from './reference.ts';
import { everything, FEW, harnessOf } from './reference-harness.ts';

/* node-test.test.ts runs this file with node:test, in a separate process. */

describeSession({
  name: 'the reference',
  describe,
  it,
  capabilities: everything,
  ...FEW,
  harness: () => harnessOf(ReferenceSession),
});

describeSessionStore({
  name: 'the reference',
  describe,
  it,
  capabilities: { shared: true },
  harness: () => storeHarnessOf(ReferenceStore),
});
