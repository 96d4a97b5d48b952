// Rebuilds `dist/` of the package in the current directory. The compiler must have written the declarations.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleCode, bundleTypes } from './bundle.ts';
import { readEntries } from './entries.ts';

const directory = process.cwd();
const { code, types } = readEntries(directory);
const files = [...(await bundleCode(directory, code)), ...(await bundleTypes(directory, types))];

rmSync(join(directory, 'dist'), { recursive: true, force: true });
for (const { path, text } of files) {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}
