import { describe, it } from 'vitest';
import { describeRecordStore } from '../../src/record-store/describe-record-store.ts';
import { VARIANTS } from './reference-harness.ts';

/** By day, mutants.test.ts runs each case on a store with capabilities that it applies to. */
const NIGHTLY = ['the reference', 'a reference that lists but cannot filter'];

for (const [name, variant] of Object.entries(VARIANTS)) {
  const tags = NIGHTLY.includes(name) ? ['nightly'] : [];
  describeRecordStore({ describe: (title, body) => describe(title, { tags }, body), it, name, ...variant });
}
