import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it.each([
  ['deleted', {}],
  ['expired', { ttlMs: 1 }],
])('a namespace takes no memory once its records are %s', async (_how, life) => {
  const store = new InMemoryStore({ name: 'facts' });
  const remember = async (users: number) => {
    for (let user = 0; user < users; user++) {
      const { id } = await store.within([`user ${user}`]).put({ content: 'tea', ...life });
      if (!('ttlMs' in life)) await store.within([`user ${user}`]).delete(id);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await store.namespaces()).items).toEqual([]);
  };
  // What is compiled and cached at first stays.
  await remember(200);
  const before = heapUsed();
  await remember(2_000);
  // What a pending task still refers to is collected later.
  await expect.poll(() => heapUsed() - before).toBeLessThan(2_000 * 1_000);
});
