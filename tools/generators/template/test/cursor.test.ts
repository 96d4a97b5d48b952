import { expect, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

it('a cursor finds a record that was added after the newest records were deleted', async () => {
  const { connect, close } = temporaryDatabase();
  try {
    const store = new SqliteStore({ client: connect(), name: 'memory' });
    await store.putMany(['1', '2', '3'].map((id) => ({ id, content: 'heron' })));
    const { cursor = '' } = await store.list({ order: 'oldest', limit: 2 });
    await store.delete('2');
    await store.delete('3');
    await store.put({ id: '4', content: 'stork' });
    expect((await store.list({ order: 'oldest', cursor })).items).toMatchObject([{ id: '4' }]);
  } finally {
    close();
  }
});
