// Appends to a session again and again in its own process. The argument is { url, sessionId, writer, times }.
import { once } from 'node:events';
import { PrismaSession } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

export interface Appending {
  readonly url: string;
  readonly sessionId: string;
  readonly writer: string;
  readonly times: number;
}

const { url, sessionId, writer, times } = JSON.parse(process.argv[2] ?? '') as Appending;
const prisma = connectTo(url);
const session = new PrismaSession({ prisma, sessionId });
console.log('ready');
await once(process.stdin, 'data');
for (let n = 0; n < times; n++) {
  await session.addItems([{ writer, n }]);
  console.log(n);
}
await prisma.$disconnect();
process.stdin.destroy();
