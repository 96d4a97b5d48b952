import { describeStores } from './store-kit.ts';

describeStores('PostgreSQL');
