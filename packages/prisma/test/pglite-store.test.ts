import { storeConcerns } from '@keepsake/suites/variants';
import { fakeEmbedder } from './fake-embedder.ts';
import { describeStores } from './store-kit.ts';

describeStores('PGlite', { embedder: fakeEmbedder }, storeConcerns('embedder'));
