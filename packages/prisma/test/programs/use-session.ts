// Uses a session in a process of its own: takes { url, sessionId, task, writer, times } as its argument.
import { once } from 'node:events';
import { PrismaSession } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

export interface Job {
  readonly url: string;
  readonly sessionId: string;
  /** To append batches of five items, or to pop until there is none. */
  readonly task: 'append' | 'pop';
  readonly writer: string;
  readonly times?: number;
}

const { url, sessionId, task, writer, times = Infinity } = JSON.parse(process.argv[2] ?? '') as Job;
const prisma = connectTo(url);
const session = new PrismaSession({ prisma, sessionId });
await prisma.$connect();
console.log('ready');
await once(process.stdin, 'data');
if (task === 'pop') {
  for (let item = await session.popItem(); item !== undefined; item = await session.popItem()) console.log(item.number);
} else {
  for (let batch = 0; batch < times; batch++) {
    const items = Array.from({ length: 5 }, (_, index) => ({ writer, batch, index, text: 'x'.repeat(100 * index) }));
    await session.addItems(items);
    console.log(batch);
    // What was read is never anything but what is there, or the beginning of it.
    if (batch % 20 === 0)
      console.log(
        JSON.stringify((await session.getItems()).map((item) => `${item.writer} ${item.batch} ${item.index}`)),
      );
  }
}
await prisma.$disconnect();
process.stdin.destroy();
