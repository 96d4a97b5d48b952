import { expect, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

it('close waits for pending writes', async () => {
  const { connect, close } = temporaryDatabase();
  try {
    const store = new SqliteStore({ client: connect(), name: 'memory' });
    const writes = [store.add('heron'), store.addMessages([{ role: 'user', content: 'stork' }])];
    await store.close();
    expect((await new SqliteStore({ client: connect(), name: 'memory' }).list()).items).toHaveLength(2);
    await Promise.all(writes);
  } finally {
    close();
  }
});
