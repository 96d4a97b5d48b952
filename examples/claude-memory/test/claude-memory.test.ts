import { join } from 'node:path';
import { expectExampleToRemember, runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const directory = useDirectory();

it('Claude knows in one process what it noted down in another, without an API key', async () => {
  await expectExampleToRemember(MAIN, directory.path, 'ANTHROPIC_API_KEY', { warnings: false });
});

it('the Claude Agent SDK lists the transcripts of both processes', async () => {
  const environment = { ANTHROPIC_API_KEY: undefined };
  const { stdout } = await runProgram(MAIN, ['I keep bees.', 'What do I keep?'], { cwd: directory.path, environment });
  expect(stdout).toContain('Agent: You told me: "I keep bees."');
  const listed = [...stdout.matchAll(/session \S+: 2 messages, "(.*)"/g)].map(([, summary]) => summary);
  expect(listed).toEqual(['What do I keep?', 'I keep bees.']);
});
