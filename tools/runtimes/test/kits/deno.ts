import { runKits } from '../../src/cases.ts';
import { FILE, IN_MEMORY, SQLITE } from './backends.ts';

await runKits([IN_MEMORY, FILE, SQLITE]);
