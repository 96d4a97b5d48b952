import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();
const MAIN = join(import.meta.dirname, '../src/main.ts');

it('the second run, in another process, starts with the lessons of the first', async () => {
  const environment = { OPENAI_API_KEY: undefined };
  const { stdout, stderr, status } = await runProgram(MAIN, [], { cwd: directory.path, environment });
  expect([status, stderr]).toEqual([0, '']);
  expect(new Set(stdout.match(/process \d+/g)).size).toBe(2);
  const calls = [...stdout.matchAll(/called (\d+) times/g)].map(([, count]) => Number(count));
  // The first run lists, checks, reads, repairs and checks again. The second knows what to run.
  expect(calls).toEqual([5, 1]);
  expect(stdout.match(/check\.js passes/g)).toHaveLength(2);
  const project = join(directory.path, '.keepsake/fix-a-bug');
  expect(readFileSync(join(project, 'totals.js'), 'utf8')).toContain('Math.round(net');
  expect(readFileSync(join(project, 'memories/MEMORY.md'), 'utf8')).toMatch(
    /It helped to call run_script check\.js \[rollouts: /,
  );
});
