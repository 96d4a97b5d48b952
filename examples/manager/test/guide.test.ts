import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram, useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';

/*
 * Each program of the guide runs and prints the output that the guide shows. tools/snippets checks that the code is the
 * same.
 */

const home = join(import.meta.dirname, '..');
const guide = ['manager', 'injection', 'extraction', 'memory-tools', 'manager-failures']
  .map((page) => readFileSync(join(home, `../../docs/${page}.md`), 'utf8'))
  .join('\n');

/** A program and the text block after it. */
const SHOWN = /^```ts file=\S+\/src\/(\S+\.ts)\n.*?^```\n\n(?:[^`\n][^\n]*\n\n)?```text\n(.*?)^```$/gms;
const shown = [...guide.matchAll(SHOWN)].map(([, program = '', output = '']) => ({ program, output }));

const directory = useDirectory();
const run = (program: string, ...args: string[]) =>
  runProgram(join(home, 'src', program), args, { cwd: directory.path });

describe('the guide', () => {
  it('shows every program and its output', () => {
    const programs = readdirSync(join(home, 'src')).filter((name) => name !== 'scripted-model.ts');
    expect(shown.map(({ program }) => program).sort()).toEqual(programs.sort());
  });

  it('the programs print the output in the guide', async () => {
    const programs = shown.map(({ program }) => program).filter((program) => program !== 'outbox.ts');
    const paths = programs.map((program) => join(home, 'src', program));
    const { stdout, stderr, status } = await runProgram(fileURLToPath(import.meta.resolve('./run-programs.ts')), [
      directory.path,
      ...paths,
    ]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const printed = JSON.parse(stdout);
    for (const [n, program] of programs.entries()) expectOutput(program, printed[paths[n] ?? '']);
  });

  it('outbox.ts prints the output in the guide, before and after its crash', async () => {
    const crashed = await run('outbox.ts', '--crash');
    expect(crashed).toMatchObject({ stderr: '', signal: 'SIGKILL' });
    const { stdout, stderr, status } = await run('outbox.ts');
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expectOutput('outbox.ts', crashed.stdout + stdout);
  });

  const alone = shown.map(({ program }) => program).filter((program) => program !== 'outbox.ts');
  it.each(alone)(
    '%s prints the output in the guide in a process of its own',
    { tags: ['nightly'] },
    async (program) => {
      const { stdout, stderr, status } = await run(program);
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
      expectOutput(program, stdout);
    },
  );
});

function expectOutput(program: string, printed: string): void {
  const output = shown.find((one) => one.program === program)?.output ?? '';
  expect(timeless(printed), program).toBe(timeless(output));
}

function timeless(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'TIME').trim();
}
