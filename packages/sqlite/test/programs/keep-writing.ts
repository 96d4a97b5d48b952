// Puts a record and adds an item again and again in a separate process, until it is killed or has done it `times` times.
// The argument is { file, writer, times }. Prints a line for each change that was acknowledged.
import { once } from 'node:events';
import { say } from '@keepsake/testing/say';
import { SqliteSession, SqliteStore } from '../../src/index.ts';

export interface Job {
  readonly file: string;
  readonly writer: string;
  readonly times?: number;
}

const { file, writer, times = Infinity } = JSON.parse(process.argv[2] ?? '') as Job;
const session = new SqliteSession({ file, sessionId: 's' });
const store = new SqliteStore({ file, name: 'memory' });
say('ready');
await once(process.stdin, 'data');
for (let batch = 0; batch < times; batch++) {
  await store.put({ id: `${writer} ${batch}`, content: `heron ${writer} ${batch}` });
  say(`record ${batch}`);
  await session.addItems([{ writer, batch }]);
  say(`item ${batch}`);
}
process.stdin.destroy();
