import { byDay } from '@keepsake/testing/share';
import { describeSessions, describeStores } from './kit.ts';

/* In one file, because a PGlite takes seconds to start. */

const CONCERNS = ['Capabilities', 'Putting', 'Replacing', 'Deleting', 'Searching', 'Namespaces'];

describeStores('PGlite', {}, byDay({ concerns: CONCERNS }));
describeSessions('PGlite', {}, byDay({ concerns: ['reading', 'popping', 'JSON values', 'transactions'] }));
