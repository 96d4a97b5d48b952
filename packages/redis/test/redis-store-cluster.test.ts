import { storeConcerns } from '@keepsake/suites/variants';
import { sharedCluster } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { describeStores } from './store-kit.ts';

const shared = sharedCluster();

describeStores('a cluster', shared, {}, storeConcerns('cluster'));
describeStores('a cluster, with an embedder', shared, { embedder: fakeEmbedder }, storeConcerns('embedder'));
