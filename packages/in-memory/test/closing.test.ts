import { expect, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

it('close waits for writes in flight', async () => {
  let embedded = 0;
  const embedder = {
    id: 'slow',
    dimensions: 1,
    async embed(texts: readonly string[]) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      embedded += texts.length;
      return texts.map(() => Float32Array.of(1));
    },
  };
  const store = new InMemoryStore({ name: 'facts', embedder });
  const reader = store.within([]);
  const writes = [
    store.put({ content: 'one' }),
    store.putMany([{ content: 'two' }]),
    store.add('three'),
    store.addMessages([{ role: 'user', content: 'four' }]),
  ];
  await store.close();
  expect(embedded).toBe(4);
  expect((await reader.list()).items).toHaveLength(4);
  await Promise.all(writes);
});

it('close succeeds even if a write in flight fails', async () => {
  const store = new InMemoryStore({ name: 'facts' });
  const refused = expect(store.put({ content: '' })).rejects.toThrow('must be text');
  await store.close();
  await refused;
});
