import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Terminal } from './keepsake.ts';
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

it('the walkthrough of the README shows what a terminal shows', async () => {
  const cwd = temporaryDirectory();
  copyFileSync(join(import.meta.dirname, 'fixtures/talk.jsonl'), join(cwd, 'talk.jsonl'));
  const steps = walk.split(/^\$ /m).slice(1);
  expect(steps.length).toBeGreaterThan(5);
  for (const step of steps) {
    const [command = '', ...shown] = step.trimEnd().split('\n');
    const terminal = new Terminal({ script: command }, { cwd }, 120);
    await terminal.end;
    expect(withoutFigures(terminal.visibleText.trimEnd()), command).toBe(withoutFigures(shown.join('\n')));
  }
});
