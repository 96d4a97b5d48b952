import { fakeEmbedder } from './fake-embedder.ts';
import { describeStores } from './store-kit.ts';

describeStores('PGlite');
describeStores('PGlite', { embedder: fakeEmbedder });
