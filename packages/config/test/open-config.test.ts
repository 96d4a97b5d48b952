import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findConfig, openConfig } from '../src/index.ts';
import { install, type Outcome, useConfigs, writeFiles } from './support.ts';

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

  it('refuses a file that another user may have written, unless it is named', async () => {
    writeFiles(directory.path, { 'app/keepsake.config.mjs': BOTH, 'app/src/empty': '' });
    const [file, app] = [at('app/keepsake.config.mjs'), at('app')];
    const refused = (words: RegExp) => {
      const advice = new RegExp(`keepsake\\.config\\.mjs was found, but.*${words.source}.*name it \\(--config`);
      expect(() => findConfig(at('app/src'))).toThrow(advice);
    };
    expect(findConfig(at('app/src'))).toBe(file);
    for (const [path, mode, others] of [
      [file, 0o600, 0o602],
      [app, 0o700, 0o703],
    ] as const) {
      chmodSync(path, others);
      refused(/everyone may write/);
      chmodSync(path, mode);
    }
    // As in a directory for temporary files: only owners can replace theirs.
    chmodSync(app, 0o1777);
    expect(findConfig(at('app/src'))).toBe(file);

    const user = process.getuid?.() ?? 0;
    if (user === 0) chownSync(file, 54_321, 54_321);
    else vi.spyOn(process, 'getuid').mockReturnValue(user + 1);
    onTestFinished(() => void vi.restoreAllMocks());
    refused(/belongs to another user/);
    await expect(openConfig({ cwd: at('app/src') })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('skips directories of that name', () => {
    mkdirSync(at('keepsake.config.ts'));
    expect(findConfig(directory.path)).toBeUndefined();
  });
});

/** A configuration, the parts to open, and what comes of it. */
interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly parts?: readonly string[];
  readonly options?: { readonly path?: string; readonly cwd?: string };
  /** The directory of the program, in that of the files. */
  readonly cwd?: string;
  /** Gets the directory of the files. */
  readonly expected: (outcome: Outcome, at: string) => void;
}

const WITHOUT_PACKAGES = `import { defineConfig } from '@keepsake/config';
  import 'not-installed/sub';
  import { x } from "@nobody/has-this";
  import { join } from 'node:path';
  export default defineConfig({ memory: async () => (await import('not-there-either')).store });`;

const REFUSED: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['code that throws', 'throw new Error("secret")', /Its code failed: see the cause\. \(secret\)/],
  ['code with a syntax error', 'export default {', /Its code failed: see the cause\. \(/],
  ['a missing file', "import './missing.mjs';", /Its code failed: see the cause\. \(Cannot find module/],
  ['no default export', 'export const config = {};', /has no default export\. It must end with export default/],
  ['a default export of another type', 'export default 7;', /: The options must be an object/],
  ['no memory', 'export default {};', /: `memory` is missing/],
  ['a store instead of a function', 'export default { memory: {} };', /: `memory` must be a function/],
  ['a misspelt field', 'export default { memroy: () => {} };', /Unknown option `memroy`\. Did you mean `memory`\?/],
];

const CASES: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    ['ts', 'mts', 'js', 'mjs'].map((extension): [string, Case] => [
      `runs keepsake.config.${extension}`,
      {
        files: {
          'package.json': '{ "type": "module" }',
          [`keepsake.config.${extension}`]: BOTH,
          'app/readme.md': '',
        },
        cwd: 'app',
        parts: ['memory', 'sessions', 'space', 'conversations', 'workspace'],
        expected({ path, results }, at) {
          expect(path).toBe(join(at, `keepsake.config.${extension}`));
          expect(results).toEqual([
            'InMemoryStore',
            'InMemorySessionStore',
            'MemorySpace',
            'ConversationMemory',
            'undefined',
          ]);
        },
      },
    ]),
  ),
  'reads the given file, relative to cwd': {
    files: { 'keepsake.config.mjs': 'broken(', 'app/other.mjs': BOTH },
    parts: ['memory'],
    options: { path: 'other.mjs', cwd: 'app' },
    expected: ({ path, results }, at) =>
      expect([path, ...results]).toEqual([join(at, 'app/other.mjs'), 'InMemoryStore']),
  },
  'uses the files in .keepsake of cwd without a configuration': {
    files: {},
    parts: ['memory', 'sessions'],
    expected: ({ path, results }, at) =>
      expect([path, ...results]).toEqual([join(at, '.keepsake'), 'FileStore', 'FileSessionStore']),
  },
  'says that a given file is missing': {
    files: {},
    options: { path: 'missing.ts' },
    expected: ({ results }, at) =>
      expect(results).toEqual([
        `INVALID_ARGUMENT: There is no configuration file ${join(at, 'missing.ts')}. Create one with keepsake init.`,
      ]),
  },
  'says which packages to install': {
    files: { 'keepsake.config.mjs': WITHOUT_PACKAGES },
    parts: ['memory'],
    expected: ({ results }) =>
      expect(results[0]).toContain(
        'packages that are not installed. Run: npm install not-installed @nobody/has-this not-there-either (',
      ),
  },
  ...Object.fromEntries(
    REFUSED.map(([what, text, message]): [string, Case] => [
      `refuses ${what}, and names the file`,
      {
        files: { 'keepsake.config.mjs': text },
        parts: ['memory'],
        expected({ results }, at) {
          expect(results[0]).toMatch(/^INVALID_ARGUMENT: /);
          expect(results[0]).toContain(join(at, 'keepsake.config.mjs'));
          expect(results[0]).toMatch(message);
        },
      },
    ]),
  ),
};

describe('openConfig', () => {
  const cases = Object.entries(CASES).map(([title, one], index) => ({ title, index, ...one }));
  const at = (index: number, name = '') => join(realpathSync(all), String(index), name);
  let all = '';
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    all = mkdtempSync(join(tmpdir(), 'keepsake-'));
    install(all);
    for (const { index, files } of cases) {
      mkdirSync(at(index));
      writeFiles(at(index), files);
    }
    outcomes = await useConfigs(
      all,
      cases.map(({ index, cwd, options = {}, parts = [] }) => {
        const given = options.cwd === undefined ? options : { ...options, cwd: at(index, options.cwd) };
        return { cwd: at(index, cwd), options: given, parts };
      }),
    );
  });
  afterAll(() => rmSync(all, { recursive: true, force: true }));

  it.each(cases)('$title', ({ index, expected }) => expected(outcomes[index] ?? { results: [] }, at(index)));

  it('refuses unknown options', async () => {
    await expect(openConfig({ file: 'x' } as object)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(openConfig({ path: '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
