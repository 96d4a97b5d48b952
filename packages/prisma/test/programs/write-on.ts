// Writes until its input ends. The argument is { url, connections, place, writer }.
import { writeOn } from '@keepsake/suites/faults/write-on';
import { PrismaSession, PrismaStore } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

export interface Use {
  readonly url: string;
  readonly connections: number;
  readonly place: string;
  readonly writer: string;
}

const { url, connections, place, writer } = JSON.parse(process.argv[2] ?? '') as Use;
const prisma = connectTo(url, { connections });
await prisma.$connect();
const store = new PrismaStore({ prisma, name: 'memory', namespace: [place] });
await writeOn(writer, new PrismaSession({ prisma, sessionId: place }), store);
await prisma.$disconnect();
