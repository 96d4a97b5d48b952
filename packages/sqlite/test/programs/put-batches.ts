// Puts batches of 5 records in its own process. The argument is { file, writer, times }.
import { once } from 'node:events';
import { SqliteStore } from '../../src/index.ts';

export interface Job {
  readonly file: string;
  readonly writer: string;
  readonly times: number;
}

const { file, writer, times } = JSON.parse(process.argv[2] ?? '') as Job;
const store = new SqliteStore({ file, name: 'memory' });
console.log('ready');
await once(process.stdin, 'data');
for (let batch = 0; batch < times; batch++) {
  const range = Array.from({ length: 5 }, (_, index) => index);
  await store.putMany(range.map((index) => ({ id: `${writer} ${batch} ${index}`, content: `heron ${writer}` })));
  await increment();
  console.log(batch);
}
process.stdin.destroy();

/** Raises the shared counter, unless another process was faster. Then it tries again. */
async function increment(): Promise<void> {
  for (;;) {
    const known = await store.get('counter');
    try {
      await store.put(
        { id: 'counter', content: String(Number(known?.content ?? 0) + 1) },
        { ifVersion: known?.version ?? 0 },
      );
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'CONFLICT') throw error;
    }
  }
}
