// Performs the calls of other processes. The argument is { kind, url, root }.
import { recordClient, sessionClient } from '@keepsake/conformance';
import { answerCalls } from '@keepsake/suites/linearizability/answer-calls';
import type { CalledKind } from '@keepsake/suites/linearizability/describe-linearizability';
import { PrismaSession, PrismaStore } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

export interface Use {
  readonly kind: CalledKind;
  readonly url: string;
  /** Begins all session ids and namespaces. */
  readonly root: string;
}

const { kind, url, root } = JSON.parse(process.argv[2] ?? '') as Use;
const prisma = connectTo(url);
await prisma.$connect();
if (kind === 'session') {
  await answerCalls((place) => sessionClient(new PrismaSession({ prisma, sessionId: `${root} ${place}` })));
} else {
  const store = new PrismaStore({ prisma, name: 'memory', namespace: [root] });
  await answerCalls((place) => recordClient(store.within([place])));
}
await prisma.$disconnect();
