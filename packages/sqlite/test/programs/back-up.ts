// Backs up a database in its own process. The argument is { file, copy }.
import { once } from 'node:events';
import { SqliteStore } from '../../src/index.ts';

const { file, copy } = JSON.parse(process.argv[2] ?? '') as Readonly<Record<'file' | 'copy', string>>;
const store = new SqliteStore({ file, name: 'memory' });
await store.list({ limit: 1 });
console.log('ready');
await once(process.stdin, 'data');
await store.backup(copy);
console.log('done');
process.stdin.destroy();
