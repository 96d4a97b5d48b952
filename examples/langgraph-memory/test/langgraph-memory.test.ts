import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();

it('a graph waits in one process, is resumed in another, and is remembered in a third', async () => {
  const { stdout, stderr, status } = await runProgram(join(import.meta.dirname, '../src/main.ts'), [], {
    cwd: directory.path,
  });
  expect([status, stderr]).toEqual([0, '']);
  const lines = [...stdout.matchAll(/^process (\d+): (.*)$/gm)];
  expect(new Set(lines.map(([, pid]) => pid)).size).toBe(3);
  expect(lines.map(([, , text]) => text)).toEqual([
    'the graph waits: "Refund order A-17?" This process ends.',
    'The money for order A-17 is sent by bank transfer.',
    'another thread knows: runa gets refunds by bank transfer.',
    'the thread has the steps -1, 0, 1, 2.',
  ]);
});
