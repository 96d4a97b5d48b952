/*
 * Changes records of its own and searches for them, until it is killed or all rounds are done. Fails if a search misses one of
 * them, or finds one that it has deleted. The argument is { file, writer, rounds, batch }.
 */
import { once } from 'node:events';
import { SqliteStore } from '../../src/index.ts';

export interface Job {
  readonly file: string;
  readonly writer: string;
  readonly rounds: number;
  /** How many records each round puts. */
  readonly batch: number;
}

const { file, writer, rounds, batch } = JSON.parse(process.argv[2] ?? '') as Job;
const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
console.log('ready');
await once(process.stdin, 'data');
for (let round = 0; round < rounds; round++) {
  const range = Array.from({ length: batch }, (_, n) => n);
  await store.putMany(range.map((n) => ({ id: `${writer} ${round} ${n}`, content: `heron ${writer}r${round} n${n}` })));
  await expectFound(`${writer}r${round}`, batch);
  if (round > 0) {
    for (let n = 0; n < batch; n += 10) await store.delete(`${writer} ${round - 1} ${n}`);
    await expectFound(`${writer}r${round - 1}`, batch - Math.ceil(batch / 10));
  }
  console.log(round);
}
await store.close();
process.stdin.destroy();

async function expectFound(word: string, count: number): Promise<void> {
  const found = await store.search(word, { maxSearchResults: 2 * batch });
  if (found.length !== count) throw new Error(`A search for ${word} found ${found.length} of ${count} records.`);
}
