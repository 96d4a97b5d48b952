// Writes an item in a separate process, and keeps the database open until it is killed. The argument is the file.
import { SqliteSession } from '../../src/index.ts';

const file = process.argv[2] as string;
await new SqliteSession({ file, sessionId: 's' }).addItems([{ n: 'other' }]);
console.log('ready');
process.stdin.resume();
