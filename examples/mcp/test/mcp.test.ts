import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();
const home = join(import.meta.dirname, '..');

it('prints the output in the README', () => prints(1));

it('prints the output in the README again', { tags: ['nightly'] }, () => prints(2));

async function prints(runs: number): Promise<void> {
  const [, shown] = /```text\n(.*?)```/s.exec(readFileSync(join(home, 'README.md'), 'utf8')) ?? [];
  for (let run = 0; run < runs; run++) {
    const { stdout, stderr, status } = await runProgram(join(home, 'src/main.ts'), [], { cwd: directory.path });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(shown);
  }
}
