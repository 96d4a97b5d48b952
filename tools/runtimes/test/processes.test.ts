import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { KitResult } from '../src/cases.ts';
import { bundle, findBun, findDeno } from '../src/index.ts';

it.each([
  ['Bun', findBun, ['run'], 4],
  ['Deno', findDeno, ['run', '--allow-all', '--no-config'], 3],
] as const)(
  'backends pass the whole kit in %s',
  { tags: ['nightly'], timeout: 1_200_000 },
  async (name, find, args, count) => {
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-runtimes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = join(folder, 'kits.mjs');
    await writeFile(program, await bundle(join(import.meta.dirname, `kits/${name.toLowerCase()}.ts`)));
    const { stdout } = await promisify(execFile)(await find(), [...args, program], {
      cwd: folder,
      // A checkpoint in the background can create files again after its case. And nothing asks for updates.
      env: { ...process.env, TMPDIR: folder, DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1' },
      maxBuffer: 2 ** 26,
    });
    const results = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line): KitResult => JSON.parse(line));
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    expect(results).toHaveLength(count);
    for (const { backend, passed } of results) expect(passed, backend).toBeGreaterThan(600);
  },
);
