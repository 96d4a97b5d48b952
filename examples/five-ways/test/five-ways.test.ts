import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();

it('the program shows what each of the five knows, as the guide says', async () => {
  const { status, stdout, stderr } = await runProgram(join(import.meta.dirname, '../src/main.ts'), [directory.path], {
    // Node before 24.15 warns that SQLite is experimental.
    environment: { NODE_NO_WARNINGS: '1' },
  });
  expect([status, stderr]).toEqual([0, '']);
  const [, known = ''] = /-- Tuesday: what another process knows\n([\s\S]*?)-- Alice leaves/.exec(stdout) ?? [];
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/five-ways.md'), 'utf8');
  expect(guide).toContain(known);
  expect(stdout).toMatch(/2 memories and 1 session are erased, and her conversations\nconversations {2}0 left\n$/);
});
