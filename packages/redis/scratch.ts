import { Redis } from 'ioredis';
import { makeTexts } from '../../tools/bench/src/search/texts.ts';
import { InMemoryStore } from '../in-memory/src/index.ts';
import { RedisStore } from './src/index.ts';

const client = new Redis(Number(process.env.PORT ?? 7900));
await client.flushall();
const N = Number(process.argv[2] ?? 100000),
  turns = process.argv[3] === 'turns';
const { entries, queries } = makeTexts(N);
const mem = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1]);
const before = await mem();
const store = new RedisStore({ client, name: 's' });
let t = performance.now();
let text = 0;
for (let i = 0; i < N; i += 1000)
  await store.putMany(
    entries.slice(i, i + 1000).map((e) => {
      text += Buffer.byteLength(e.content);
      return turns ? e : { content: e.content };
    }),
  );
const putMs = performance.now() - t;
const used = (await mem()) - before;
console.log(
  'putMany/s',
  Math.round((N / putMs) * 1000),
  'text bytes',
  (text / N).toFixed(1),
  'used/entry',
  (used / N).toFixed(1),
  'ratio',
  (used / text).toFixed(2),
);
for (const k of await client.keys('*'))
  console.log(
    k,
    await client.call('OBJECT', 'ENCODING', k),
    (((await client.call('MEMORY', 'USAGE', k, 'SAMPLES', '0')) as number) / N).toFixed(1),
  );
t = performance.now();
for (let i = 0; i < 2000; i++) await store.put({ content: entries[i]!.content + ' again' });
console.log('single puts/s', Math.round((2000 / (performance.now() - t)) * 1000));
const times: number[] = [];
for (const q of queries.slice(0, 300)) {
  const s = performance.now();
  await store.search(q, { maxSearchResults: 5 });
  times.push(performance.now() - s);
}
times.sort((a, b) => a - b);
console.log('search p50', times[150]!.toFixed(2), 'p90', times[270]!.toFixed(2), 'p99', times[297]!.toFixed(2));
// agreement with in-memory
const memory = new InMemoryStore({ name: 'm' });
await client.flushall();
const few = entries.slice(0, 3000).map((e, i) => ({ ...(turns ? e : { content: e.content }), id: 'e' + i }));
await memory.putMany(few);
await store.putMany(few);
let same = 0,
  overlap = 0;
for (const q of queries.slice(0, 200)) {
  const a = (await memory.search(q)).map((e) => e.id),
    b = (await store.search(q)).map((e) => e.id);
  if (a.join() === b.join()) same++;
  overlap += a.filter((x) => b.includes(x)).length / Math.max(1, a.length);
}
console.log('same order', same, '/200, overlap', (overlap / 200).toFixed(3));
client.disconnect();
