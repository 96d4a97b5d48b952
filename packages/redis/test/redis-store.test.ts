import { storeConcerns } from '@keepsake/suites/variants';
import { sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { describeStores } from './store-kit.ts';

const shared = sharedRedis();

describeStores('one server', shared);
describeStores('one server, with an embedder', shared, { embedder: fakeEmbedder }, storeConcerns('embedder'));
