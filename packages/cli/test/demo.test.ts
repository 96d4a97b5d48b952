import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepsake, keepsakeProcess } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();

it('the demo remembers in the next process, without a key, and forgets when told to', async () => {
  const cwd = temporaryDirectory();
  const say = (...lines: string[]) =>
    keepsakeProcess(['demo'], { cwd, input: `${lines.join('\n')}\n`, env: { OPENAI_API_KEY: '' } });
  const told = await say('I left my bike behind the bakery.', 'exit', 'never read');
  expect(told).toMatchObject({ exitCode: 0, stderr: '' });
  expect(told.stdout).not.toContain('never read');
  expect(readdirSync(cwd)).toEqual(['.keepsake']);
  const asked = await say('Where is my bike?', 'forget about my bike');
  expect(asked.stdout).toContain('I left my bike behind the bakery.');
  const kept = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(kept.length).toBeGreaterThan(0);
  // No later process can know it.
  for (const { parentPath, name } of kept) expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain('bakery');
});

it('the demo refuses options of other backends, and an embedder and a model that are none', async () => {
  const cwd = temporaryDirectory();
  for (const args of [['--sqlite', 'a.db'], ['--json'], ['-n', 'u:alice']]) {
    const refused = await keepsake(['demo', ...args], { cwd });
    expect(refused, args.join(' ')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr, args.join(' ')).toContain('Pass only --directory');
  }
  for (const option of ['--embedder', '--model']) {
    const refused = await keepsakeProcess(['demo', option, 'nowhere'], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('must be "ollama"') });
  }
  expect(readdirSync(cwd)).toEqual([]);
});
