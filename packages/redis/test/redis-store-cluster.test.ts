import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { byDay } from '@keepsake/testing/share';
import { sharedCluster } from './connections.ts';
import { describeStores } from './store-kit.ts';

const shared = sharedCluster();

/** By day, what needs keys on several nodes: namespaces are spread over them. */
const ofCluster = byDay({
  concerns: [
    ...['Putting', 'Batches', 'Deleting', 'Clearing', 'Listing', 'Searching', 'Listing namespaces', 'Descendants'],
    ...['Lifecycle', 'Concurrency', 'Histories'],
  ],
});
describeStores('a cluster', shared, {}, ofCluster);

/** By day, little: a cluster without an embedder, and one server with it, pass more. */
const ofBoth = byDay({ concerns: ['Batches', 'Searching', 'Descendants'] });
describeStores('a cluster, with an embedder', shared, { embedder: fakeEmbedder }, ofBoth);
