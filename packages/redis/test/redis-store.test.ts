import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { byDay } from '@keepsake/testing/share';
import { sharedRedis } from './connections.ts';
import { describeStores } from './store-kit.ts';

const shared = sharedRedis();

describeStores('one server', shared);

/** By day, where vectors are written, removed or compared. */
const ofEmbedder = byDay({
  concerns: [
    ...['Capabilities', 'Superseding', 'Replacing', 'Batches', 'Deleting', 'Clearing', 'Searching', 'Filters'],
    ...['Time to live', 'Descendants', 'Concurrency'],
  ],
});
describeStores('one server, with an embedder', shared, { embedder: fakeEmbedder }, ofEmbedder);
