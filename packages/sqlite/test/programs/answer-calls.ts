// Performs the calls of other processes. The argument is { kind, file }.
import { recordClient, sessionClient } from '@keepsake/conformance';
import { answerCalls } from '@keepsake/suites/linearizability/answer-calls';
import type { CalledKind } from '@keepsake/suites/linearizability/describe-linearizability';
import { SqliteSession, SqliteStore } from '../../src/index.ts';

export interface Use {
  readonly kind: CalledKind;
  readonly file: string;
}

const { kind, file } = JSON.parse(process.argv[2] ?? '') as Use;
if (kind === 'session')
  await answerCalls((sessionId) => sessionClient(new SqliteSession({ file, sessionId, durability: 'os' })));
else {
  const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
  await answerCalls((place) => recordClient(store.within([place])));
}
