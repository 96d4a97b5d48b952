import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('knows in one process what it was told in another, with no key', () => {
  const { AI_GATEWAY_API_KEY: _, ...env } = process.env;
  const main = join(import.meta.dirname, '../src/main.ts');
  const node = ['--conditions=@keepsake/source', main];
  const { stdout, stderr, status } = spawnSync(process.execPath, node, { cwd: directory, env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(new Set(stdout.match(/process \d+/g)).size).toBe(2);
  const answers = [...stdout.matchAll(/Agent: (.*)/g)].map(([, answer]) => answer);
  expect(answers).toEqual(['Thank you, I will remember that.', 'You told me: "My sister Runa has moved to Tromsø."']);
});
