import { describe, it } from 'vitest';
import { describeRecordStore } from '../../src/record-store/describe-record-store.ts';
import { MapStore } from './map-store.ts';
import { ALL, NO_FILTER, NONE } from './reference.ts';

/* AbstractRecordStore refuses what a backend does not declare, even if the backend could do it. */

const VARIANTS = {
  'has all capabilities': ALL,
  'has the fewest capabilities': NONE,
  'lists but cannot filter': NO_FILTER,
};

for (const [what, capabilities] of Object.entries(VARIANTS)) {
  describeRecordStore({
    describe,
    it,
    name: `an AbstractRecordStore over a backend that ${what}`,
    capabilities,
    harness() {
      const tree = new Map();
      return { open: (options) => new MapStore({ name: 'map', ...options }, tree, capabilities) };
    },
  });
}
