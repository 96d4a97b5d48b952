// The command under its short name: one process remembers, another recalls.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const directory = mkdtempSync('memory-');
const manifestOf = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
const { bin } = manifestOf('keepsake');
/** @param {string[]} args */
const keepsake = (...args) =>
  execFileSync(process.execPath, [join('node_modules/keepsake', bin.keepsake), ...args], {
    env: { ...process.env, KEEPSAKE_DIRECTORY: directory },
    encoding: 'utf8',
  });

assert.equal(keepsake('--version'), `${manifestOf('@keepsake/cli').version}\n`);
keepsake('remember', 'Alice lives in Lisbon since May.');
assert.match(keepsake('recall', 'Where does Alice live?'), /lives in Lisbon/);
rmSync(directory, { recursive: true });
