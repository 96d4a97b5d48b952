import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { npm } from '@keepsake/testing/npm';
import { run } from '@keepsake/testing/run';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Compiler } from '../src/compiler.ts';
import { installCompilers } from '../src/compilers.ts';
import { contentFaults } from '../src/content-faults.ts';
import { importFaults } from '../src/imports.ts';
import { installedPackages, installFaults, sizeOf } from '../src/installed.ts';
import { load } from '../src/load.ts';
import { manifestFaults } from '../src/manifest-faults.ts';
import { currentNode, installNode, lowestVersion } from '../src/nodes.ts';
import { pack, type Tarball } from '../src/pack.ts';
import { packageFaults } from '../src/package-faults.ts';
import { entryPoints, findPackages, type Manifest, type Package } from '../src/packages.ts';
import { placeProgram, runProgram } from '../src/programs.ts';
import { typeFaults } from '../src/type-faults.ts';

/** Compiling takes seconds, and installing Node too. */
const NIGHTLY = { tags: ['nightly'] };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-faults-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(files: Record<string, string | object>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const sound: Manifest = {
  name: '@keepsake/sound',
  version: '0.2.0',
  license: 'MIT',
  engines: { node: '>=22.13' },
  repository: { directory: 'packages/sound' },
  publishConfig: { access: 'public' },
};
const asPackage = (manifest: Manifest, at = 'packages/sound'): Package => ({
  name: manifest.name,
  directory: join(directory, at),
  manifest,
});

describe('findPackages', () => {
  it('finds packages that are not private', () => {
    write({ 'packages/sound/package.json': sound, 'packages/own/package.json': { name: 'own', private: true } });

    expect(findPackages(directory)).toEqual([asPackage(sound)]);
  });
});

describe('entryPoints', () => {
  it('are what a program can import, not the programs of the package', () => {
    const program = './dist/sound.js';
    const exports = { '.': './dist/index.js', [program]: program, './package.json': './package.json' };
    expect(entryPoints({ ...sound, exports, bin: { sound: program } })).toEqual(['.']);
    expect(entryPoints({ ...sound, exports })).toEqual(['.', program]);
    expect(entryPoints(sound)).toEqual([]);
  });
});

describe('manifestFaults', () => {
  const faults = (more: Partial<Manifest>) =>
    manifestFaults(asPackage({ ...sound, ...more } as Manifest), [asPackage(sound)], directory);

  it('finds no fault in a valid manifest', () => {
    const dependencies = { '@keepsake/sound': '^0.2.0', other: '^1.0.0 || ^2.0.0' };
    expect(faults({ dependencies, peerDependencies: { more: '>=1 <3' } })).toEqual([]);
  });

  it.each([
    ['workspace:^', 'x is required as "workspace:^", which is not a version range.'],
    ['file:../x', 'x is required as "file:../x", which is not a version range.'],
    ['latest', 'x is required as "latest", which is not a version range.'],
    ['*', 'x is required in any version.'],
    ['', 'x is required in any version.'],
    ['>=0.0.0', 'x is required in any version.'],
  ])('finds the range "%s"', (range, fault) => {
    expect(faults({ dependencies: { x: range } })).toEqual([fault]);
    expect(faults({ peerDependencies: { x: range } })).toEqual([fault]);
    expect(faults({ optionalDependencies: { x: range } })).toEqual([fault]);
  });

  it('finds our packages that are not published, or not in that version', () => {
    expect(faults({ dependencies: { '@keepsake/repo': '^1.0.0', '@keepsake/sound': '^0.1.0' } })).toEqual([
      '@keepsake/repo is required, but not published.',
      '@keepsake/sound is required as ^0.1.0, which excludes 0.2.0.',
    ]);
  });

  it('finds what npm would refuse or readers would miss', () => {
    const { engines: _, license: __, publishConfig: ___, ...bare } = sound;
    const moved = asPackage({ ...bare, repository: { directory: 'packages/noise' } });

    expect(manifestFaults(moved, [], directory).map((fault) => fault.split(' ')[0])).toEqual([
      'engines.node',
      'license',
      'publishConfig.access',
      'repository.directory',
    ]);
  });
});

describe('packageFaults', () => {
  const faults = async (manifest: object) => {
    const packed = { ...sound, type: 'module', files: ['dist'], sideEffects: false, ...manifest };
    write({ 'packages/sound/package.json': packed });
    write({ 'packages/sound/dist/index.js': 'export const a = 1;', 'packages/sound/dist/index.d.ts': 'export {};' });
    const [tarball] = (await pack([asPackage(packed)], join(directory, 'packed'))).values();
    return packageFaults(asPackage(packed), tarball as Tarball);
  };
  const entry = { types: './dist/index.d.ts', default: './dist/index.js' };

  it('finds no fault in a package that has what its manifest names', async () => {
    expect(await faults({ exports: { '.': entry } })).toEqual([]);
  });

  it('finds entries that do not fit, with publint and with "Are the types wrong?"', async () => {
    expect(await faults({ exports: { '.': { default: entry.default, types: entry.types } } })).toEqual([
      expect.stringContaining('types should be the first'),
      expect.stringContaining('default should be the last'),
    ]);
    expect(await faults({ exports: { '.': { ...entry, types: './dist/none.d.ts' } } })).toEqual([
      expect.stringContaining('./dist/none.d.ts'),
      expect.stringContaining('"FallbackCondition","entrypoint":".","resolutionKind":"node16-esm"'),
      expect.stringContaining('"FallbackCondition","entrypoint":".","resolutionKind":"bundler"'),
    ]);
  });
});

describe('contentFaults', () => {
  const faults = (...paths: string[]) =>
    contentFaults(
      ['LICENSE', 'README.md', 'package.json', ...paths].map((path) => ({ path, size: 1 })),
      directory,
    );
  const map = (...sourcesContent: string[]) => ({ sources: ['../src/a.ts'], sourcesContent });

  const manifest = {
    exports: { '.': { types: './dist/a.d.ts', default: './dist/a.js' }, './package.json': './package.json' },
    bin: { b: './dist/b.js' },
  };

  it('finds no fault if each file is an entry and each map has its sources', () => {
    write({ 'package.json': manifest, 'dist/b.js': '' });
    write({ 'dist/a.js': '//# sourceMappingURL=a.js.map', 'dist/a.js.map': map('') });

    expect(faults('dist/a.js', 'dist/a.js.map', 'dist/a.d.ts', 'dist/b.js')).toEqual([]);
  });

  it('finds missing entries', () => {
    write({ 'package.json': manifest, 'dist/a.js': '' });

    expect(faults('dist/a.js')).toEqual([
      'dist/b.js is missing, which package.json names.',
      'dist/a.d.ts is missing, which package.json names.',
    ]);
  });

  it('finds missing and unwanted files', () => {
    write({ 'package.json': {} });

    expect(contentFaults([{ path: 'src/a.ts', size: 1 }], directory)).toEqual([
      'LICENSE is missing.',
      'README.md is missing.',
      'package.json is missing.',
      'src/a.ts does not belong in a package.',
    ]);
  });

  it('finds unreachable files', () => {
    write({ 'package.json': {}, 'dist/old.js': '' });

    expect(faults('dist/old.js')).toEqual(["dist/old.js is not an entry of package.json, so it can't be imported."]);
  });

  it('finds broken source maps', () => {
    write({ 'package.json': { exports: './dist/a.js' }, 'dist/a.js.map': map() });
    write({ 'dist/a.js': '//# sourceMappingURL=a.js.map\n' });

    expect(faults('dist/a.js')).toEqual(['dist/a.js names the source map a.js.map, which is not packed.']);
    expect(faults('dist/a.js', 'dist/a.js.map')).toEqual(['dist/a.js.map has sources that are not packed.']);
  });
});

describe('importFaults', () => {
  it('finds imports that the manifest does not declare, including types', () => {
    write({
      'index.js':
        "import 'node:fs'; import './a.js'; import '@x/peer/deep'; export * from 'dependency'; import('stray');",
      'index.d.ts': "import type { A } from '@x/types'; export declare const a: A;",
      'node_modules/stray/index.js': "import 'another';",
    });
    const manifest = { ...sound, dependencies: { dependency: '1' }, peerDependencies: { '@x/peer': '1' } };

    expect(importFaults({ directory, manifest }).sort()).toEqual([
      'index.d.ts imports @x/types, which package.json does not declare.',
      'index.js imports stray, which package.json does not declare.',
    ]);
  });
});

describe('installed packages', () => {
  const modules = (packages: Record<string, object>) =>
    write(
      Object.fromEntries(
        Object.entries(packages).map(([path, manifest]) => [
          `node_modules/${path}/package.json`,
          { name: path.split('node_modules/').at(-1), version: '1.0.0', ...manifest },
        ]),
      ),
    );

  it('are found and measured at any depth', () => {
    modules({ a: {}, '@x/b': {}, '@x/b/node_modules/c': {} });
    write({ 'node_modules/.bin/tool': 'not a package', 'node_modules/a/dist/deep.js': '12345' });
    const installed = installedPackages(directory);

    expect(installed.map(({ manifest }) => manifest.name).sort()).toEqual(['@x/b', 'a', 'c']);
    const manifests = installed.map(({ manifest }) => JSON.stringify(manifest).length);
    expect(sizeOf(installed)).toBe(manifests.reduce((one, other) => one + other) + 5);
  });

  it('have no fault if every package is required', () => {
    modules({
      a: {
        dependencies: { b: '1' },
        peerDependencies: { p: '1', o: '1' },
        peerDependenciesMeta: { o: { optional: true } },
      },
      b: { dependencies: { c: '1' }, optionalDependencies: { d: '1', e: '1' } },
      'b/node_modules/c': { dependencies: { p: '1' } },
      d: {},
      p: {},
    });

    expect(installFaults(directory, 'a')).toEqual([]);
  });

  it('have a fault if one is missing or not required', () => {
    modules({ a: { dependencies: { b: '1', c: '1' } }, b: {}, 'b/node_modules/c': {}, stray: {} });

    expect(installFaults(directory, 'a').sort()).toEqual([
      'a needs c, which is not installed.',
      'c@1.0.0 is installed, but nothing requires it.',
      'stray@1.0.0 is installed, but nothing requires it.',
    ]);
    expect(installFaults(directory, 'nobody')).toEqual(['nobody is not installed.']);
  });
});

describe('load', () => {
  const module = (code: string) =>
    write({
      'node_modules/a/package.json': { name: 'a', type: 'module', exports: './a.js' },
      'node_modules/a/a.js': code,
    });

  it('lists exports, and that both ways of loading return the same', async () => {
    module('export const one = {}; export default class {}');

    expect(await load('a', directory)).toMatchObject({ names: ['default', 'one'], differing: [] });
  });

  it('fails if require() fails', async () => {
    module('export const one = await 1;');

    await expect(load('a', directory)).rejects.toThrow('ERR_REQUIRE_ASYNC_MODULE');
  });

  it('lists exports that differ', async () => {
    module("const other = { one: {} }; export const one = {}; export { other as 'module.exports' };");

    expect((await load('a', directory)).differing).toContain('one');
  });
});

describe('typeFaults', () => {
  let compilers: Compiler[];
  beforeAll(async () => {
    compilers = await installCompilers();
  });

  // Only one compiler if they don't differ, because each takes a second per setup.
  const faults = (declarations: string, program = '', portable = true, by = compilers.slice(1, 2)) => {
    write({
      'package.json': { type: 'module' },
      'node_modules/a/package.json': { name: 'a', type: 'module', exports: { types: './a.d.ts', default: './a.js' } },
      'node_modules/a/a.d.ts': declarations,
      'program.mjs': program,
    });
    const programs = [join(directory, 'program.mjs')];
    return typeFaults(directory, { programs, specifiers: ['a'], portable }, by);
  };

  it('finds no fault in valid types', NIGHTLY, async () => {
    const program = "import { readFileSync } from 'node:fs';\nimport { a } from 'a';\nreadFileSync(a({ b: '' }));";

    expect(await faults('export declare function a(options: { b?: string }): string;', program)).toEqual([]);
  });

  it('finds errors in the declarations themselves, for every user and in every TypeScript', NIGHTLY, async () => {
    const found = await faults('export declare const a: NoSuchType;', '', true, compilers);

    expect(found).toHaveLength(3 * 2 * 2);
    for (const [index, name] of ['typescript-5.9', 'typescript-6', 'typescript-7'].entries()) {
      expect(found[index * 4]).toMatch(
        new RegExp(
          `^${name}, node, node(16|next).*: node_modules/a/a\\.d\\.ts\\(1,25\\): error TS2304: .*'NoSuchType'`,
        ),
      );
    }
  });

  it("finds uses of Node's types if they are missing", async () => {
    const found = await faults('export declare const a: Buffer;');

    expect(found.every((fault) => fault.includes(', web, '))).toBe(true);
    expect(found).toHaveLength(2);
    expect(await faults('export declare const a: Buffer;', '', false)).toEqual([]);
  });

  it('finds what only some libraries of the language have', async () => {
    const found = await faults('export declare class A { [Symbol.asyncDispose](): Promise<void>; }');

    expect(found.every((fault) => fault.includes(', web, '))).toBe(true);
    expect(found).toHaveLength(2);
  });

  it('finds options that some settings refuse', async () => {
    const program = "import { a } from 'a';\na({ b: undefined });";
    const found = await faults('export declare function a(options: { b?: string }): void;', program, true, compilers);

    expect(found).toEqual(
      ['typescript-5.9, node, bundler', 'typescript-6, node, nodenext', 'typescript-7, node, bundler'].map((setup) =>
        expect.stringContaining(`${setup}, exactOptionalPropertyTypes: program.mjs(2,3): error TS2379`),
      ),
    );
  });
});

describe('programs', () => {
  it('exist for every package', () => {
    expect(() => placeProgram('@keepsake/no-such-package', directory)).toThrow(
      '@keepsake/no-such-package has no program. Write tools/publishing/programs/no-such-package.mjs',
    );
  });

  it('fail with their output', async () => {
    write({ 'program.mjs': "console.log('so far'); throw new Error('no further');" });

    const failing = runProgram(join(directory, 'program.mjs'), directory, currentNode.path);
    await expect(failing).rejects.toThrow(/so far(.|\n)*no further/);
  });
});

describe('run', () => {
  it('runs a program in the environment of the machine, not of the test run', async () => {
    const set = {
      NPM_CONFIG_REGISTRY: 'http://outer.example/',
      npm_config_workspace: 'x',
      NODE_OPTIONS: '-C x',
      KEPT: '1',
    };
    for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value);
    const print = 'console.log(JSON.stringify(process.env))';
    const env = { npm_config_registry: 'http://inner.example/' };

    const seen = JSON.parse(await run(process.execPath, ['--eval', print], { cwd: directory, env }));
    vi.unstubAllEnvs();
    expect(seen).toMatchObject({ KEPT: '1', npm_config_registry: 'http://inner.example/' });
    for (const name of ['NPM_CONFIG_REGISTRY', 'npm_config_workspace', 'NODE_OPTIONS', 'VITEST']) {
      expect(seen).not.toHaveProperty(name);
    }
  });
});

describe('Node', () => {
  it('has the lowest version that a range allows, down to the patch', () => {
    expect(lowestVersion('>=22.13')).toBe('22.13.0');
    expect(lowestVersion('^22.13.1 || >=24')).toBe('22.13.1');
    expect(() => lowestVersion('newest')).toThrow('engines.node is "newest", which is not a version range.');
  });

  it('is installed from npm once, also for concurrent calls', NIGHTLY, async () => {
    const [one, other] = await Promise.all([installNode('22.13.0', directory), installNode('22.13.0', directory)]);

    expect(one).toEqual({ path: expect.stringContaining(directory), version: '22.13.0' });
    expect(other).toEqual(one);
    expect(readdirSync(directory)).toEqual(['22.13.0']);
    await expect(installNode('../22', directory)).rejects.toThrow('"../22" is not a version of Node, such as 22.');
  });
});

describe('npm', () => {
  it('does not pack packages that are not built', async () => {
    write({ 'packages/sound/package.json': sound });

    await expect(pack([asPackage(sound)], join(directory, 'packed'))).rejects.toThrow(
      'Not built: @keepsake/sound. Run `npm run build` first.',
    );
  });

  it('reports that it cannot reach the registry', async () => {
    const env = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: join(directory, 'cache') };

    const asking = npm(['view', 'any-package', '--fetch-retries=0'], { cwd: directory, env });
    await expect(asking).rejects.toThrow(/^npm can't reach its registry, .*Check the network/);
  });
});
