import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('either process continues a conversation, and users never see messages of others', () => {
  const node = ['--conditions=@keepsake/source', join(import.meta.dirname, '../src/main.ts')];
  const { stdout, stderr, status } = spawnSync(process.execPath, node, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  const replies = [...stdout.matchAll(/process (\d+): (.*)/g)];
  expect(new Set(replies.map(([, pid]) => pid)).size).toBe(2);
  expect(replies.map(([, , reply]) => reply)).toEqual([
    'Noted, as number 1.',
    'Noted, as number 1.',
    'Noted, as number 2.',
    'You said: I have moved to Lisbon.',
    'You said: My bike is behind the bakery.',
    'I have nothing about that yet.',
  ]);
});
