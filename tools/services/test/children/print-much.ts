// Starts a thread, then prints many lines while nobody reads them. Argument: how many.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { say } from '@keepsake/testing/say';

say('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
await once(new Worker('', { eval: true }), 'exit');
for (let n = 0; n < Number(process.argv[2]); n++) say('line', n);
