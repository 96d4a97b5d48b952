import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();

it('the agent remembers facts for one user and not for another, without an API key', async () => {
  const main = join(import.meta.dirname, '../src/main.ts');
  const environment = { OPENAI_API_KEY: undefined };
  const { stdout, stderr, status } = await runProgram(main, [], { cwd: directory.path, environment });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    'Conversations and memories are at the emulator.',
    'alice: I remember: "Runa, her sister, has moved to Tromsø." (2 items in conv_…)',
    'bob: Thank you. (2 items in conv_…)',
    '',
  ]);
});
