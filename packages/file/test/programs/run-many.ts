// Starts concurrent runs on one session when it is told to. Argument: { directory, sessionId, inputs }.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { runMany } from '../agent-run.ts';

const { inputs, ...options } = JSON.parse(process.argv[2] ?? '') as Parameters<typeof runMany>[0] & {
  readonly inputs: readonly string[];
};
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
await runMany(options, inputs);
