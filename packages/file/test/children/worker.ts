import { once } from 'node:events';
import { say } from '@keepsake/testing/say';
import * as sources from '../../src/index.ts';
import type { Job } from './job.ts';
import { tasks } from './tasks.ts';

/* Starts a job when the parent says so. */

const job: Job = JSON.parse(process.argv[2] ?? '');
say('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
try {
  await tasks[job.task](sources, job);
  say('done');
} catch (error) {
  say('failed', (error as { code?: string }).code, (error as Error).message, (error as Error).cause ?? '');
}
