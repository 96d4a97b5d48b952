// A configuration file, found from a directory below, and the files that are used without one.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig, findConfig, OpenedConfig, openConfig } from '@keepsake/config';
import { FileSessionStore, FileStore } from '@keepsake/file';

const directory = resolve(mkdtempSync('config-'));
const below = join(directory, 'src');
mkdirSync(below);
assert.equal(findConfig(below), undefined);

const files = await openConfig({ cwd: below });
assert.equal(files.path, join(below, '.keepsake'));
await files.close();

const path = join(directory, 'keepsake.config.mjs');
writeFileSync(
  path,
  `import { FileSessionStore, FileStore } from '@keepsake/file';
  const directory = ${JSON.stringify(join(directory, 'memory'))};
  export default {
    memory: async () => new FileStore({ directory, name: 'memory' }),
    sessions: () => new FileSessionStore({ directory }),
    space: { agents: { guide: {} } },
  };`,
);
assert.equal(findConfig(below), path);
const config = await openConfig({ cwd: below, namespace: ['u', 'alice'] });
await (await config.memory()).add('Alice lives in Lisbon since May.');
assert.deepEqual(await (await config.space()).inspect({ agent: 'guide' }), []);
assert.deepEqual((await (await config.sessions()).list()).items, []);
assert.equal(await config.model(), undefined);
await config.close();
await assert.rejects(config.memory(), { code: 'CLOSED' });

const own = new OpenedConfig(
  defineConfig({
    memory: () => new FileStore({ directory: join(directory, 'memory'), name: 'memory', namespace: ['u', 'alice'] }),
    sessions: () => new FileSessionStore({ directory: join(directory, 'memory') }),
  }),
  { path: 'this program' },
);
assert.equal((await (await own.memory()).list()).items.length, 1);
await own.close();

const typescript = join(directory, 'typed.ts');
writeFileSync(typescript, 'const config: object = {}; export default config;');
const runsTypes = Boolean(process.features.typescript);
await assert.rejects(openConfig({ path: typescript }), runsTypes ? /`memory` is missing/ : /Use Node 22\.18 or newer/);
rmSync(directory, { recursive: true });
