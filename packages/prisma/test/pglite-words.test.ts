// @module-tag nightly: by day, PostgreSQL passes the same cases, and so does PGlite with an embedder.

import { describeStores } from './store-kit.ts';

describeStores('PGlite');
