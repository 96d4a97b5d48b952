// The kit under another test runner than Vitest: runners.test.ts runs this file with `node --test`.
import { describe, it } from 'node:test';
import { describeRecordStore } from '../../src/record-store/describe-record-store.ts';
import { FEW, VARIANTS } from './reference-harness.ts';

for (const [name, variant] of Object.entries(VARIANTS)) {
  describeRecordStore({ describe, it, name, ...variant, ...FEW });
}
