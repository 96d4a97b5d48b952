// Performs the calls of other processes. The argument is { called, kind, url, root }.
import { recordClient, sessionClient } from '@keepsake/conformance';
import { answerCalls } from '@keepsake/suites/linearizability/answer-calls';
import type { CalledKind } from '@keepsake/suites/linearizability/describe-linearizability';
import { PostgresSession, PostgresStore } from '../../src/index.ts';
import { connectTo, type ServerDriver } from '../connect-to.ts';

export interface Use {
  readonly called: CalledKind;
  readonly kind: ServerDriver;
  readonly url: string;
  /** Begins all session ids and namespaces. */
  readonly root: string;
}

const { called, kind, url, root } = JSON.parse(process.argv[2] ?? '') as Use;
const { client, close } = connectTo(kind, url);
if (called === 'session') {
  await answerCalls((place) => sessionClient(new PostgresSession({ client, sessionId: `${root} ${place}` })));
} else {
  const store = new PostgresStore({ client, name: 'memory', namespace: [root] });
  await answerCalls((place) => recordClient(store.within([place])));
}
await close();
