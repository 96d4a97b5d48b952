import { describe, it } from 'vitest';
import { describeRecordStore } from '../../src/record-store/describe-record-store.ts';
import { VARIANTS } from './reference-harness.ts';

for (const [name, variant] of Object.entries(VARIANTS)) {
  describeRecordStore({ describe, it, name, ...variant });
}
