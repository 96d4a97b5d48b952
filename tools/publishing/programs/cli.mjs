// The command, as npm puts it into a project: one process remembers, another recalls.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const directory = mkdtempSync('memory-');
const env = {
  ...process.env,
  // Its first line asks for `node`: let that be the one that runs this.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  KEEPSAKE_DIRECTORY: directory,
};

const command = join('node_modules', '.bin', 'keepsake');
/** @param {string[]} args */
const keepsake = (...args) => execFileSync(command, args, { env, encoding: 'utf8' });

const { version } = JSON.parse(readFileSync('node_modules/@keepsake/cli/package.json', 'utf8'));
assert.equal(keepsake('--version'), `${version}\n`);

keepsake('remember', 'Alice lives in Lisbon since May.', '--namespace', 'u:alice');
assert.match(keepsake('recall', 'Where does Alice live?', '--namespace', 'u:alice'), /lives in Lisbon/);
assert.throws(() => keepsake('recall', 'Where does Alice live?', '--namespace', 'u:bob'), { status: 3 });
rmSync(directory, { recursive: true });
