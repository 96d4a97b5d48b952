import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();
const home = join(import.meta.dirname, '..');

/**
 * Enables the cache of compiled code of all tests, also for the servers: their client passes them the flags of Node, and no
 * environment.
 */
const CACHE = `data:text/javascript,${encodeURIComponent(
  `import { enableCompileCache } from 'node:module';
   enableCompileCache(${JSON.stringify(process.env.NODE_COMPILE_CACHE)});`,
)}`;

it('prints the output in the README', () => prints(1));

it('prints the output in the README again', { tags: ['nightly'] }, () => prints(2));

async function prints(runs: number): Promise<void> {
  const [, shown] = /```text\n(.*?)```/s.exec(readFileSync(join(home, 'README.md'), 'utf8')) ?? [];
  for (let run = 0; run < runs; run++) {
    const { stdout, stderr, status } = await runProgram('--import', [CACHE, join(home, 'src/main.ts')], {
      cwd: directory.path,
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(shown);
  }
}
