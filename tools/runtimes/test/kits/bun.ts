import { Database } from 'bun:sqlite';
import { runKits } from '../../src/cases.ts';
import { FILE, SQLITE, sqliteOn } from './backends.ts';
import { inMemory } from './in-memory.ts';

await runKits([inMemory(), FILE, SQLITE, sqliteOn('bun:sqlite', () => new Database(':memory:'))]);
