import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/converse.ts');
const directory = useDirectory();

const run = (step: string) => runProgram(PROGRAM, [directory.path, step]);

it('a run that waits for approval in one process is resumed in another', async () => {
  const waiting = await run('ask');
  expect([waiting.status, waiting.stderr]).toEqual([0, '']);
  expect(JSON.parse(waiting.stdout)).toMatchObject({ ran: [] });
  const { stdout } = await run('approve');
  expect(JSON.parse(stdout)).toMatchObject({ output: 'Refunded.', ran: ['refund'] });
});

it('a run whose process is killed is resumed in another, after the last complete step', async () => {
  expect((await run('die')).signal).toBe('SIGKILL');
  const { stdout, stderr } = await run('go on');
  expect(stderr).toBe('');
  const { input, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({ output: 'Done.', ran: [] });
  expect(input).toMatchObject([
    { role: 'user', content: 'Please.' },
    { type: 'function_call', name: 'safe' },
    { type: 'function_call_result', name: 'safe' },
  ]);
});
