import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { converse } from './support/converse.ts';

const directory = useDirectory();

it('runs of a killed process are resumed: one that waits for approval, and one after its last complete step', async () => {
  const program = join(import.meta.dirname, 'programs/converse.ts');
  const { stdout, stderr, signal } = await runProgram(program, [directory.path]);
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
  expect(JSON.parse(stdout)).toMatchObject({ ran: [] });
  expect(await converse(directory.path, 'waiting', 'approve')).toMatchObject({ output: 'Refunded.', ran: ['refund'] });
  const { input, ...rest } = await converse(directory.path, 'killed', 'go on');
  expect(rest).toEqual({ output: 'Done.', ran: [] });
  expect(input).toMatchObject([
    { role: 'user', content: 'Please.' },
    { type: 'function_call', name: 'safe' },
    { type: 'function_call_result', name: 'safe' },
  ]);
});
