import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { converse } from './support/converse.ts';

const directory = useDirectory();

it('an interrupt of a process is answered after it was killed, and its run continued after the last complete step', async () => {
  const program = join(import.meta.dirname, 'programs/converse.ts');
  const { stdout, stderr, signal } = await runProgram(program, [directory.path]);
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
  expect(JSON.parse(stdout)).toMatchObject({ stopReason: 'interrupt', ran: [] });
  expect(await converse(directory.path, 'interrupted', 'answer')).toMatchObject({
    stopReason: 'endTurn',
    ran: ['refund'],
  });
  expect(await converse(directory.path, 'killed', 'go on')).toMatchObject({
    stopReason: 'endTurn',
    ran: [],
    input: [
      { role: 'user', content: [{ text: 'Please.' }] },
      { role: 'assistant', content: [{ toolUse: { name: 'safe' } }] },
      { role: 'user', content: [{ toolResult: {} }] },
    ],
  });
});
