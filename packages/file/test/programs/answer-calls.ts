// Performs the calls of other processes. The argument is { kind, directory }.
import { recordClient, sessionClient } from '@keepsake/conformance';
import { answerCalls } from '@keepsake/suites/linearizability/answer-calls';
import type { CalledKind } from '@keepsake/suites/linearizability/describe-linearizability';
import { FileSession, FileStore } from '../../src/index.ts';

export interface Use {
  readonly kind: CalledKind;
  readonly directory: string;
}

const { kind, directory } = JSON.parse(process.argv[2] ?? '') as Use;
if (kind === 'session')
  await answerCalls((sessionId) => sessionClient(new FileSession({ directory, sessionId, durability: 'os' })));
else {
  const store = new FileStore({ directory, name: 'memory', durability: 'os' });
  await answerCalls((place) => recordClient(store.within([place])));
}
