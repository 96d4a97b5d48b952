import { execFileSync, execSync } from 'node:child_process';
import { join } from 'node:path';
import { installNode } from '@keepsake/publishing/nodes';
import { expect, it } from 'vitest';
import { environmentOn } from '../src/test-on-node.ts';

const root = join(import.meta.dirname, '../../..');

// Installs a Node.
it("tools and their child processes run on the other Node, not on the project's own", {
  timeout: 300_000,
  tags: ['nightly'],
}, async () => {
  const node = await installNode('22.13.0');
  const env = environmentOn(node);

  expect(execSync('node --version', { env, encoding: 'utf8' }).trim()).toBe('v22.13.0');
  expect(execSync('vitest --version', { cwd: root, env, encoding: 'utf8' })).toContain('node-v22.13.0');
});

it('test:node requires a version', () => {
  const program = join(import.meta.dirname, '../src/test-node.ts');
  expect(() => execFileSync(process.execPath, [program], { stdio: 'pipe' })).toThrow('npm run test:node -- 22');
});
