import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();
const MAIN = join(import.meta.dirname, '../src/main.ts');

it('each agent recalls what it was told, and nothing that the other was told', async () => {
  const environment = { OPENAI_API_KEY: undefined };
  const { stdout, stderr, status } = await runProgram(MAIN, [], { cwd: directory.path, environment });
  expect([status, stderr]).toEqual([0, '']);
  expect(new Set(stdout.match(/process \d+/g)).size).toBe(4);
  const answers = [...stdout.matchAll(/Agent: (.*)/g)].map(([, answer]) => answer);
  expect(answers).toEqual([
    'Understood.',
    'Understood.',
    'Understood.',
    'Understood.',
    'You told me: Our best segment is bakeries in Ghent. Write to them in Dutch.',
    'You told me: The invoice test fails on leap days. Use UTC dates in it.',
  ]);
  for (const name of ['gtm', 'engineering']) {
    expect(existsSync(join(directory.path, `.keepsake/two-layouts/memories/${name}/MEMORY.md`))).toBe(true);
  }
});
