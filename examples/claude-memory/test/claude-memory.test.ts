import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const directory = useDirectory();

it('Claude knows in one process what it noted down in another, and its SDK lists the transcripts of both, without an API key', async () => {
  // Before 24.15, Node calls SQLite experimental.
  const environment = { ANTHROPIC_API_KEY: undefined, NODE_NO_WARNINGS: '1' };
  const { stdout, stderr, status } = await runProgram(MAIN, [], { cwd: directory.path, environment });
  expect([status, stderr]).toEqual([0, '']);
  expect(new Set(stdout.match(/process \d+/g)).size).toBe(2);
  const [told, asked] = ['My sister Runa has moved to Tromsø.', 'Where does Runa live now?'];
  const answers = [...stdout.matchAll(/Agent: (.*)/g)].map(([, answer]) => answer);
  expect(answers).toEqual(['Thank you, I will remember that.', `You told me: "${told}"`]);
  const listed = [...stdout.matchAll(/session \S+: 2 messages, "(.*)"/g)].map(([, summary]) => summary);
  expect(listed).toEqual([asked, told]);
});

it('the texts can be given', { tags: ['nightly'] }, async () => {
  const environment = { ANTHROPIC_API_KEY: undefined };
  const { stdout } = await runProgram(MAIN, ['I keep bees.', 'What do I keep?'], { cwd: directory.path, environment });
  expect(stdout).toContain('Agent: You told me: "I keep bees."');
  const listed = [...stdout.matchAll(/session \S+: 2 messages, "(.*)"/g)].map(([, summary]) => summary);
  expect(listed).toEqual(['What do I keep?', 'I keep bees.']);
});
