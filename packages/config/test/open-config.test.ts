import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { findConfig, openConfig } from '../src/index.ts';
import { install, useConfig, writeFiles } from './support.ts';

const IN_MEMORY = `import { defineConfig } from '@keepsake/config';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
console.log('loaded');
`;
const BOTH = `${IN_MEMORY}export default defineConfig({
  memory: async () => new InMemoryStore({ name: 'memory' }),
  sessions: () => new InMemorySessionStore(),
});`;

const directory = useDirectory();
const at = (...names: string[]) => join(realpathSync(directory.path), ...names);
beforeEach(() => install(directory.path));

describe('findConfig', () => {
  it('finds the nearest file upwards, .ts before .mts, .js and .mjs', () => {
    const [deep, other] = [at('app/src/deep'), at('other')];
    mkdirSync(deep, { recursive: true });
    mkdirSync(other);
    expect(findConfig(deep)).toBeUndefined();
    for (const extension of ['mjs', 'js', 'mts', 'ts']) {
      writeFiles(directory.path, { [`app/keepsake.config.${extension}`]: '' });
      expect(findConfig(deep)).toBe(at(`app/keepsake.config.${extension}`));
    }
    writeFiles(directory.path, { 'app/src/keepsake.config.mjs': '' });
    expect(findConfig(deep)).toBe(at('app/src/keepsake.config.mjs'));
    expect(findConfig(other)).toBeUndefined();
  });

  it('skips directories of that name', () => {
    mkdirSync(at('keepsake.config.ts'));
    expect(findConfig(directory.path)).toBeUndefined();
  });
});

describe('openConfig', () => {
  it.each(['ts', 'mts', 'js', 'mjs'])('runs keepsake.config.%s', async (extension) => {
    writeFiles(directory.path, {
      'package.json': '{ "type": "module" }',
      [`keepsake.config.${extension}`]: BOTH,
      'app/readme.md': '',
    });
    const { path, results } = await useConfig(at('app'), ['memory', 'sessions', 'space', 'conversations', 'workspace']);
    expect(path).toBe(at(`keepsake.config.${extension}`));
    expect(results).toEqual([
      'InMemoryStore',
      'InMemorySessionStore',
      'MemorySpace',
      'ConversationMemory',
      'undefined',
    ]);
  });

  it('reads the given file, relative to cwd', async () => {
    writeFiles(directory.path, { 'keepsake.config.mjs': 'broken(', 'app/other.mjs': BOTH });
    const { path, results } = await useConfig(directory.path, ['memory'], { path: 'other.mjs', cwd: at('app') });
    expect([path, ...results]).toEqual([at('app/other.mjs'), 'InMemoryStore']);
  });

  it('uses the files in .keepsake of cwd without a configuration', async () => {
    const { path, results } = await useConfig(directory.path, ['memory', 'sessions']);
    expect([path, ...results]).toEqual([at('.keepsake'), 'FileStore', 'FileSessionStore']);
  });

  it('says that a given file is missing', async () => {
    const { results } = await useConfig(directory.path, [], { path: 'missing.ts' });
    expect(results).toEqual([
      `INVALID_ARGUMENT: There is no configuration file ${at('missing.ts')}. Create one with keepsake init.`,
    ]);
  });

  it('says which packages to install', async () => {
    const text = `import { defineConfig } from '@keepsake/config';
      import 'not-installed/sub';
      import { x } from "@nobody/has-this";
      import { join } from 'node:path';
      export default defineConfig({ memory: async () => (await import('not-there-either')).store });`;
    writeFiles(directory.path, { 'keepsake.config.mjs': text });
    const { results } = await useConfig(directory.path);
    expect(results[0]).toContain(
      'packages that are not installed. Run: npm install not-installed @nobody/has-this not-there-either (',
    );
  });

  it.each([
    ['code that throws', 'throw new Error("secret")', /Its code failed: see the cause\. \(secret\)/],
    ['code with a syntax error', 'export default {', /Its code failed: see the cause\. \(/],
    ['a missing file', "import './missing.mjs';", /Its code failed: see the cause\. \(Cannot find module/],
    ['no default export', 'export const config = {};', /has no default export\. It must end with export default/],
    ['a default export of another type', 'export default 7;', /: The options must be an object/],
    ['no memory', 'export default {};', /: `memory` is missing/],
    ['a store instead of a function', 'export default { memory: {} };', /: `memory` must be a function/],
    ['a misspelt field', 'export default { memroy: () => {} };', /Unknown option `memroy`\. Did you mean `memory`\?/],
  ])('refuses %s, and names the file', async (_, text, message) => {
    writeFiles(directory.path, { 'keepsake.config.mjs': text });
    const { results } = await useConfig(directory.path);
    expect(results[0]).toMatch(/^INVALID_ARGUMENT: /);
    expect(results[0]).toContain(at('keepsake.config.mjs'));
    expect(results[0]).toMatch(message);
  });

  it('refuses unknown options', async () => {
    await expect(openConfig({ file: 'x' } as object)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(openConfig({ path: '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
