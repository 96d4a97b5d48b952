import { runKits } from '../../src/cases.ts';
import { FILE, SQLITE } from './backends.ts';
import { inMemory } from './in-memory.ts';

await runKits([inMemory(), FILE, SQLITE]);
