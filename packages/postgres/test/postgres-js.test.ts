import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { byDay } from '@keepsake/testing/share';
import { describeSessions, describeStores } from './kit.ts';

// The statements are those that pg has sent for all cases. These are the ones whose values and rows differ in kind.
const CONCERNS = ['Capabilities', 'Putting', 'Replacing', 'Deleting', 'Searching', 'Namespaces'];

describeStores('postgres.js', { embedder: fakeEmbedder, prepare: true }, byDay({ concerns: CONCERNS }));
describeSessions('postgres.js', {}, byDay({ concerns: ['reading', 'popping', 'JSON values', 'transactions'] }));
