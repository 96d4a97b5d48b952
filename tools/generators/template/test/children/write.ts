// Appends two items to a session 50 times, in transactions, and puts a record 50 times: `write.ts PATH WRITER`.
import { DatabaseSync } from 'node:sqlite';
import { SqliteSession, SqliteStore } from '../../src/index.ts';

const [path = '', writer = ''] = process.argv.slice(2);
const client = new DatabaseSync(path);
client.exec('PRAGMA busy_timeout = 60000');
const session = new SqliteSession({ client, sessionId: 'shared' });
const store = new SqliteStore({ client, name: 'shared' });
for (let batch = 0; batch < 50; batch++) {
  const items = [1, 2].map((part) => ({ writer, batch, part }));
  await session.applyHistoryTransaction({
    operationId: `${writer} ${batch}`,
    transaction: { type: 'append_items', items },
  });
  await store.put({ id: 'counter', content: `${writer} was here` });
}
client.close();
