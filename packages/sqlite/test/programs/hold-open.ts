// Keeps a database open in a separate process, until a line of input. The argument is the file.
import { once } from 'node:events';
import { SqliteSessionStore, SqliteStore } from '../../src/index.ts';

const file = process.argv[2] as string;
const store = new SqliteStore({ file, name: 'memory' });
const sessions = new SqliteSessionStore({ file });

/** Reads everything, so that the connection has pages in its cache and has used the write-ahead log. */
async function readAll(): Promise<void> {
  for (const { namespace } of (await store.namespaces()).items) await store.within(namespace).list();
  for (const { sessionId } of (await sessions.list()).items) await sessions.open(sessionId).getItems();
}

await readAll();
console.log('ready');
await once(process.stdin, 'data');
await readAll();
process.stdin.destroy();
