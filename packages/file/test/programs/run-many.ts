// Starts concurrent runs on one session when it is told to. Argument: { directory, sessionId, inputs }.
import { once } from 'node:events';
import { say } from '@keepsake/testing/say';
import { runMany } from '../agent-run.ts';

const { inputs, ...options } = JSON.parse(process.argv[2] ?? '') as Parameters<typeof runMany>[0] & {
  readonly inputs: readonly string[];
};
say('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
await runMany(options, inputs);
