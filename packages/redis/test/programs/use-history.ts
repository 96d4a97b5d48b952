// Supersedes records in its own process. The argument is { url, keyPrefix, job }.
import { type HistoryJob, useHistory } from '@keepsake/suites/stores/use-history';
import { openStore } from './open-store.ts';

export interface Use {
  readonly url: string;
  readonly keyPrefix: string;
  readonly job: HistoryJob;
}

const { url, keyPrefix, job } = JSON.parse(process.argv[2] ?? '') as Use;
const { client, store } = openStore(url, { keyPrefix });
await client.ping();
await useHistory(store, job);
client.disconnect();
