// Appends 50 batches of two items to a session: `append.ts PATH WRITER`.
import { DatabaseSync } from 'node:sqlite';
import { SqliteSession } from '../../src/index.ts';

const [path = '', writer = ''] = process.argv.slice(2);
const client = new DatabaseSync(path);
client.exec('PRAGMA busy_timeout = 60000');
const session = new SqliteSession({ client, sessionId: 'shared' });
for (let batch = 0; batch < 50; batch++) {
  await session.addItems([
    { writer, batch, part: 1 },
    { writer, batch, part: 2 },
  ]);
}
client.close();
