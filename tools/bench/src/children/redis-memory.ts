// Prints how much memory a record takes in Redis. Arguments: how many records, and in how many namespaces.
import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { recordsOf } from '../scale/records.ts';

const BATCH = 500;

const [count, namespaces] = process.argv.slice(2).map(Number) as [number, number];
const server = await startRedis({ own: true });
const client = new Redis(server.url);
const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);

const store = new RedisStore({ client, name: 'bench' });
// Before the first record, so that scripts and buffers don't count.
await store.within(['warm-up']).putMany(recordsOf(0, BATCH, BATCH));
await store.within(['warm-up']).clear();
const empty = await usedMemory();
const each = count / namespaces;
let text = 0;
for (let n = 0; n < namespaces; n++) {
  const own = store.within(['user', `user-${n}`]);
  for (let from = 0; from < each; from += BATCH) {
    const records = recordsOf(n * each + from, n * each + Math.min(each, from + BATCH), count);
    for (const { content } of records) text += Buffer.byteLength(content);
    await own.putMany(records);
  }
}
// The keys that identify recent changes expire after a minute.
const marks = await client.keys('*:marks:*');
if (marks.length > 0) await client.del(marks);
const bytes = Math.round(((await usedMemory()) - empty) / count);
console.log(
  `${count} records in ${namespaces} namespaces: ${bytes} bytes a record, ${Math.round(text / count)} of them text`,
);
client.disconnect();
await server.stop();
