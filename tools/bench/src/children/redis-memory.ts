// Prints how much memory a record takes in Redis. Arguments: how many records, and in how many namespaces.
import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { fillNamespaces } from '../scale/fill-namespaces.ts';
import { recordsOf } from '../scale/records.ts';

const WARM_UP = 500;

const [count, namespaces] = process.argv.slice(2).map(Number) as [number, number];
const server = await startRedis({ own: true });
const client = new Redis(server.url);
const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);

const store = new RedisStore({ client, name: 'bench' });
// Before the first record, so that scripts and buffers don't count.
await store.within(['warm-up']).putMany(recordsOf(0, WARM_UP, WARM_UP));
await store.within(['warm-up']).clear();
const empty = await usedMemory();
const text = await fillNamespaces(store, count, namespaces);
// The keys that identify recent changes expire after a minute.
const marks = await client.keys('*:marks:*');
if (marks.length > 0) await client.del(marks);
const bytes = Math.round(((await usedMemory()) - empty) / count);
console.log(`${count} records in ${namespaces} namespaces: ${bytes} bytes a record, ${text} of them text`);
client.disconnect();
await server.stop();
