// Puts a record and adds an item again and again in a separate process, until it is killed or has done it `times` times.
// The argument is { file, writer, times }. Prints a line for each change that was acknowledged.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { SqliteSession, SqliteStore } from '../../src/index.ts';

export interface Job {
  readonly file: string;
  readonly writer: string;
  readonly times?: number;
}

const { file, writer, times = Infinity } = JSON.parse(process.argv[2] ?? '') as Job;
const session = new SqliteSession({ file, sessionId: 's' });
const store = new SqliteStore({ file, name: 'memory' });
// Not by console.log: it would make later writes fail while nobody reads the output, instead of letting them wait.
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
for (let batch = 0; batch < times; batch++) {
  await store.put({ id: `${writer} ${batch}`, content: `heron ${writer} ${batch}` });
  writeSync(1, `record ${batch}\n`);
  await session.addItems([{ writer, batch }]);
  writeSync(1, `item ${batch}\n`);
}
process.stdin.destroy();
