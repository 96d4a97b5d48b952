import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/converse.ts');
const directory = useDirectory();

const run = (step: string) => runProgram(PROGRAM, [directory.path, step]);

it('an interrupt of one process is answered in another', async () => {
  const { stdout, stderr } = await run('ask');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ stopReason: 'interrupt', ran: [] });
  expect(JSON.parse((await run('answer')).stdout)).toMatchObject({ stopReason: 'endTurn', ran: ['refund'] });
});

it('a run whose process is killed is continued in another, after the last complete step', async () => {
  expect((await run('die')).signal).toBe('SIGKILL');
  const { stdout, stderr } = await run('go on');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    stopReason: 'endTurn',
    ran: [],
    input: [
      { role: 'user', content: [{ text: 'Please.' }] },
      { role: 'assistant', content: [{ toolUse: { name: 'safe' } }] },
      { role: 'user', content: [{ toolResult: {} }] },
    ],
  });
});
