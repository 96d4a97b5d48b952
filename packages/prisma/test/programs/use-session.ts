// Uses a session in its own process. The argument is { url, sessionId, job }.
import { type SessionJob, useSession } from '@keepsake/suites/sessions/use-session';
import { PrismaSession } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

export interface Use {
  readonly url: string;
  readonly sessionId: string;
  readonly job: SessionJob;
}

const { url, sessionId, job } = JSON.parse(process.argv[2] ?? '') as Use;
const prisma = connectTo(url);
await prisma.$connect();
await useSession(new PrismaSession({ prisma, sessionId }), job);
await prisma.$disconnect();
