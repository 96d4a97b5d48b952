import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fillOnce } from '@keepsake/testing/fill-once';
import { npm } from '@keepsake/testing/npm';
import { checkByApi } from './check-by-api.ts';
import { checkByCommand } from './check-by-command.ts';
import type { Compiler } from './compiler.ts';

/** The names of packages in `compilers/package.json`. TypeScript 7 has no API that compiles, only a command. */
const BY_API = ['typescript-5.9', 'typescript-6'];
const BY_COMMAND = ['typescript-7'];

const LOCKED = join(import.meta.dirname, '../compilers');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-compilers');

/** The versions of TypeScript that users have. The first call installs them from npm, as `compilers/` locks them. */
export async function installCompilers(): Promise<Compiler[]> {
  const lock = createHash('sha256').update(readFileSync(join(LOCKED, 'package-lock.json')));
  const directory = join(CACHE, lock.digest('hex').slice(0, 16));
  await fillOnce(directory, install);
  const load = createRequire(join(directory, 'package.json'));
  return [
    ...BY_API.map((name) => ({ name, check: checkByApi(load(name)) })),
    ...BY_COMMAND.map((name) => ({ name, check: checkByCommand(join(directory, 'node_modules', name, 'bin/tsc')) })),
  ];
}

async function install(directory: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(LOCKED, file), join(directory, file));
  await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory });
}
