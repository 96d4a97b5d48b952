// Performs the calls of other processes. The argument is { kind, url, keyPrefix }.
import { recordClient, sessionClient } from '@keepsake/conformance';
import { answerCalls } from '@keepsake/suites/linearizability/answer-calls';
import type { CalledKind } from '@keepsake/suites/linearizability/describe-linearizability';
import { RedisSession } from '../../src/index.ts';
import { openStore } from './open-store.ts';

export interface Use {
  readonly kind: CalledKind;
  readonly url: string;
  readonly keyPrefix: string;
}

const { kind, url, keyPrefix } = JSON.parse(process.argv[2] ?? '') as Use;
const { client, store } = openStore(url, { keyPrefix });
await client.ping();
if (kind === 'session') {
  await answerCalls((sessionId) => sessionClient(new RedisSession({ client, keyPrefix, sessionId })));
} else await answerCalls((place) => recordClient(store.within([place])));
client.disconnect();
