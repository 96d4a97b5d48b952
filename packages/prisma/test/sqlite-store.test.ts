import { describeStores } from './store-kit.ts';

describeStores('SQLite');
