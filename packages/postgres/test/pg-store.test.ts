import { describeStores } from './kit.ts';

describeStores('pg');
