import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepsake, Terminal, visibleIn } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const [, walk = ''] = /```console\n([\s\S]*?)```/.exec(readme) ?? [];

/** Masks scores, sizes and digests, which may change while the README stays correct. */
function withoutFigures(text: string): string {
  return text
    .replace(/-[0-9a-f]{40,64}/g, '-…')
    .replace(/^ *\d+\.\d\d /gm, '0.00 ')
    .replace(/[\d.]+ KB/g, '0 KB');
}

const steps = walk.split(/^\$ /m).slice(1);

/** Runs each step of the walkthrough and compares what it shows with the README. */
async function expectShown(show: (command: string, cwd: string) => Promise<string>): Promise<void> {
  const cwd = temporaryDirectory();
  copyFileSync(join(import.meta.dirname, 'fixtures/talk.jsonl'), join(cwd, 'talk.jsonl'));
  expect(steps.length).toBeGreaterThan(5);
  for (const step of steps) {
    const [command = '', ...shown] = step.trimEnd().split('\n');
    const visible = await show(command, cwd);
    expect(withoutFigures(visible.trimEnd()), command).toBe(withoutFigures(shown.join('\n')));
  }
}

// By day in this process, because there are ten steps. Other tests start the program in a terminal.
it('the walkthrough of the README shows what the program writes to a terminal', () =>
  expectShown(async (command, cwd) => {
    const [call = '', file] = command.split(' > ');
    const [, ...args] = (call.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    const { stdout, stderr } = await keepsake(args, { cwd, ...(file === undefined && { columns: 120 }) });
    if (file !== undefined) writeFileSync(join(cwd, file), stdout);
    return visibleIn((file === undefined ? stdout : '') + stderr);
  }));

it('the walkthrough of the README shows what a terminal shows', { tags: ['nightly'] }, () =>
  expectShown(async (command, cwd) => {
    const terminal = new Terminal({ script: command }, { cwd }, 120);
    await terminal.end;
    return terminal.visibleText;
  }),
);
