import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { findConfig } from '@keepsake/config';
import type { Settings } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { Failure, usageFailure } from '../failure.ts';
import { BACKENDS, type BackendName } from '../init/backends.ts';
import { packagesOf, TEMPLATES } from '../init/templates.ts';
import { Output } from '../output/output.ts';
import type { Surroundings } from '../surroundings.ts';

interface Options extends Settings {
  readonly backend?: BackendName;
}

export async function run({ backend: option, json = false }: Options, surroundings: Surroundings): Promise<ExitCode> {
  const output = new Output(json, surroundings);
  const cwd = surroundings.cwd();
  const existing = findConfig(cwd);
  if (existing !== undefined && dirname(existing) === cwd) {
    throw new Failure('EXISTS', `${basename(existing)} exists. Remove it to write another one.`, EXIT.failed);
  }
  const backend = option ?? (await askBackend(surroundings));
  const { code, next } = TEMPLATES[backend];
  const path = `keepsake.config.${extensionIn(cwd)}`;
  writeNew(cwd, path, code);
  const packages = packagesOf(backend);
  if (output.json) {
    await output.value({ path, backend, packages });
    return EXIT.fine;
  }
  await output.line(`Wrote ${path}. Install what it needs:\n\n  npm install ${packages.join(' ')}`);
  if (next !== undefined) await output.line(`\n${next}`);
  return EXIT.fine;
}

function writeNew(cwd: string, path: string, text: string): void {
  try {
    writeFileSync(join(cwd, path), text, { flag: 'wx' });
  } catch (error) {
    const { code = 'UNEXPECTED', message } = error as NodeJS.ErrnoException;
    throw new Failure(code, message.replace(join(cwd, path), path), EXIT.failed, { cause: error });
  }
}

/** The extension of a file that this Node runs as a module, without a warning. */
function extensionIn(directory: string): string {
  if (!process.features.typescript) return 'mjs';
  return isModulePackage(directory) ? 'ts' : 'mts';
}

/** Whether the nearest package.json makes files modules. */
function isModulePackage(directory: string): boolean {
  const manifest = join(directory, 'package.json');
  if (existsSync(manifest)) {
    try {
      return JSON.parse(readFileSync(manifest, 'utf8')).type === 'module';
    } catch {
      // Node reports it when it runs the file.
      return false;
    }
  }
  return directory !== dirname(directory) && isModulePackage(dirname(directory));
}

/** Asks on the terminal which backend to use. */
async function askBackend({ stdin, stderr }: Surroundings): Promise<BackendName> {
  if (!stdin.isTTY || !stderr.isTTY) {
    throw usageFailure(`Pass a backend: keepsake init --backend ${BACKENDS.join('|')}.`);
  }
  const lines = BACKENDS.map((name) => `  ${name.padEnd(8)}  ${TEMPLATES[name].what}`);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    const answer = (await terminal.question(`Where is memory stored?\n${lines.join('\n')}\nBackend [file]: `)).trim();
    const backend = answer === '' ? 'file' : BACKENDS.find((name) => name === answer.toLowerCase());
    if (backend === undefined) throw usageFailure(`There is no backend ${answer}. Use ${BACKENDS.join(', ')}.`);
    return backend;
  } finally {
    terminal.close();
  }
}
