import { Database } from 'bun:sqlite';
import { runKits } from '../../src/cases.ts';
import { FILE, IN_MEMORY, SQLITE, sqliteOn } from './backends.ts';

await runKits([IN_MEMORY, FILE, SQLITE, sqliteOn('bun:sqlite', () => new Database(':memory:'))]);
