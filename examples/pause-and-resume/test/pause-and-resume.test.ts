import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();

it('a run waits in one process, is resumed once in another, and is saved once', async () => {
  const { stdout, stderr, status } = await runProgram(join(import.meta.dirname, '../src/main.ts'), [], {
    cwd: directory.path,
  });
  expect([status, stderr]).toEqual([0, '']);
  const lines = [...stdout.matchAll(/^process (\d+): (.*)$/gm)];
  expect(new Set(lines.map(([, pid]) => pid)).size).toBe(4);
  expect(lines.map(([, , text]) => text)).toEqual([
    'the run waits for approval, and this process ends.',
    'approved: refund {"order":"A-17","amount":80}',
    'The 80 EUR for order A-17 are on their way.',
    'there is nothing to approve: the run has completed.',
    'user: Order A-17 came broken. I want my money back.',
    '(function_call)',
    '(function_call_result)',
    'assistant: The 80 EUR for order A-17 are on their way.',
  ]);
});
