// The command, as `npm create keepsake` starts it: makes a project for each framework and each backend.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const { version, bin } = JSON.parse(readFileSync('node_modules/create-keepsake/package.json', 'utf8'));
const command = join('node_modules/create-keepsake', bin['create-keepsake']);
/** @param {string[]} args */
const create = (...args) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });
assert.equal(create('--version').stdout, `${version}\n`);

const directory = mkdtempSync('projects-');
for (const framework of ['none', 'ai-sdk', 'openai-agents']) {
  for (const backend of ['file', 'sqlite', 'postgres', 'redis']) {
    const project = join(directory, `${framework}-${backend}`);
    assert.equal(create(project, '--framework', framework, '--backend', backend).status, 0);
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    assert.ok(dependencies['@keepsake/core']);
    assert.ok(dependencies[`@keepsake/${backend}`]);
    assert.match(readFileSync(join(project, '.gitignore'), 'utf8'), /^\.env$/m);
    assert.match(readFileSync(join(project, 'src/server.ts'), 'utf8'), /SIGTERM/);
    assert.equal(create(project, '--framework', framework, '--backend', backend).status, 1);
  }
}
rmSync(directory, { recursive: true });
