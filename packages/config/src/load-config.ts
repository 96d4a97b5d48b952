import { readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { checkConfig } from './check-config.ts';
import type { KeepsakeConfig } from './config.ts';

const EXAMPLE = 'export default defineConfig({ memory: () => new FileStore({ … }) })';

/** Runs a configuration file, and checks what it exports. */
export async function loadConfig(path: string): Promise<KeepsakeConfig> {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  expect(isFile, `There is no configuration file ${path}. Create one with keepsake init.`);
  const exported = (await runFile(path)) as { readonly default?: KeepsakeConfig };
  expect(exported.default, `${path} has no default export. It must end with ${EXAMPLE}.`);
  try {
    return checkConfig(exported.default);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    throw new MemoryError(error.code, `${path}: ${error.message}`, { cause: error });
  }
}

async function runFile(path: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    throw new MemoryError('INVALID_ARGUMENT', `Cannot load ${path}. ${adviceFor(cause, path)}`, { cause });
  }
}

/** What to do about the failure. Without its message, which may contain what the file reads from the environment. */
function adviceFor(cause: unknown, path: string): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.m?ts$/.test(path)) {
    return `It is TypeScript, which Node ${process.version} can't run. Use Node 22.18 or newer, or write it in JavaScript as keepsake.config.mjs.`;
  }
  const missing = code === 'ERR_MODULE_NOT_FOUND' ? missingPackages(path) : [];
  if (missing.length === 0) return 'Its code failed: see the cause.';
  return `It imports packages that are not installed. Run: npm install ${missing.join(' ')}`;
}

/** The specifier of an import: `from 'x'`, `import 'x'` or `import('x')`. */
const IMPORT = /\b(?:from|import)\s*\(?\s*(['"])([^'"]+)\1/g;

/** The packages that a file imports and that are not installed, by name. */
function missingPackages(path: string): string[] {
  const { resolve } = createRequire(path);
  const specifiers = [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, , specifier = '']) => specifier);
  const packages = specifiers.filter((specifier) => /^[@a-z]/i.test(specifier) && !isBuiltin(specifier)).map(packageOf);
  return [...new Set(packages)].filter((name) => {
    try {
      resolve(name);
      return false;
    } catch (error) {
      // Any other error comes from the exports of a package that is there.
      return (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    }
  });
}

function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
