import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';

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

it('an empty message is refused', async () => {
  const args = ['--conditions=@keepsake/source', join(import.meta.dirname, '../src/server.ts'), 'redis://127.0.0.1:1'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill());
  const [port] = await once(createInterface(server.stdout), 'line');
  const response = await fetch(`http://127.0.0.1:${port}/alice`, { method: 'POST', body: ' ' });
  expect([response.status, await response.text()]).toEqual([400, 'Send a message as the body.']);
});
