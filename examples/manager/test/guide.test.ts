import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

  it.each(shown)('$program prints the output in the guide', async ({ program, output }) => {
    let printed = '';
    if (program === 'outbox.ts') {
      const crashed = await run(program, '--crash');
      expect(crashed).toMatchObject({ stderr: '', signal: 'SIGKILL' });
      printed += crashed.stdout;
    }
    const { stdout, stderr, status } = await run(program);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(timeless(printed + stdout)).toBe(timeless(output));
  });
});

function timeless(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'TIME').trim();
}
