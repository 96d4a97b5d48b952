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
  // The others have all of its capabilities, or one less.
  const tags = capabilities === NO_FILTER ? ['nightly'] : [];
  describeRecordStore({
    describe: (title, body) => describe(title, { tags }, body),
    it,
    name: `an AbstractRecordStore over a backend that ${what}`,
    capabilities,
    harness() {
      const tree = new Map();
      return { open: (options) => new MapStore({ name: 'map', ...options }, tree, capabilities) };
    },
  });
}
