import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeLockfile } from './lockfile.ts';

const path = join(import.meta.dirname, '../../../package-lock.json');
const lockfile = JSON.parse(await readFile(path, 'utf8'));
const added = completeLockfile(lockfile);
await writeFile(path, `${JSON.stringify(lockfile, null, 2)}\n`);
console.log(added.length === 0 ? 'package-lock.json is complete.' : `Added to package-lock.json:\n${added.join('\n')}`);
