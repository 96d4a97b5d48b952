// Makes the `dist/` of the package in whose directory it runs, anew. The compiler has written its declarations before.
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
