import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('the program isolates two users on one knowledge base, and exits', async () => {
  const { KNOWLEDGE_BASE_ID: _, ...env } = process.env;
  const main = join(import.meta.dirname, '../src/main.ts');
  const node = ['--conditions=@keepsake/source', main];
  const { stdout } = await promisify(execFile)(process.execPath, node, { env });
  expect(stdout).toContain('On an emulator');
  expect(stdout).toContain('Alice, "Which seats on flights?": Alice prefers aisle seats on flights.\n');
  expect(stdout).toContain('Bob, "Which seats on flights?": Bob prefers window seats on flights.\n');
});
