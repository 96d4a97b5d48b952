import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenAIEmulator, startOpenAI } from '@keepsake/emulators';
import { type RedisServer, startRedis } from '@keepsake/services';
import { SHARE } from '@keepsake/testing/share';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readBudgets } from '../src/budgets.ts';
import type { Compiler } from '../src/compiler.ts';
import { installCompilers } from '../src/compilers.ts';
import { contentFaults } from '../src/content-faults.ts';
import { importFaults, importsOf } from '../src/imports.ts';
import { installAlone, installMore } from '../src/install.ts';
import { type InstalledPackage, installedPackages, installFaults, sizeOf } from '../src/installed.ts';
import { load } from '../src/load.ts';
import { manifestFaults } from '../src/manifest-faults.ts';
import { currentNode, installNode, lowestVersion } from '../src/nodes.ts';
import { pack, type Tarball } from '../src/pack.ts';
import { packageFaults } from '../src/package-faults.ts';
import { entryPoints, findPackages } from '../src/packages.ts';
import { importedBy, placeProgram, placeTypes, runProgram } from '../src/programs.ts';
import { sbomOf } from '../src/sbom.ts';
import { typeFaults } from '../src/type-faults.ts';

const root = join(import.meta.dirname, '../../..');
const packages = findPackages(root);
const budgets = readBudgets();
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-alone-'));
/** Packages whose bundle contains a library. */
const WITH_STEMMERS = [
  '@keepsake/mcp',
  '@keepsake/postgres',
  '@keepsake/prisma',
  '@keepsake/redis',
  '@keepsake/search',
];
const identify = ({ name, version }: { readonly name: string; readonly version: string }) => `${name}@${version}`;
let tarballs: Map<string, Tarball>;
let compilers: Compiler[];
let redis: RedisServer;
let openai: OpenAIEmulator;

beforeAll(async () => {
  tarballs = await pack(packages, join(scratch, 'tarballs'));
  // With a share of the rounds only the newest, which takes a tenth of the time.
  compilers = (await installCompilers()).slice(SHARE === 1 ? 0 : -1);
  redis = await startRedis({ own: true });
  openai = await startOpenAI();
  // Servers for the programs of packages that need one.
  vi.stubEnv('REDIS_URL', redis.url);
  vi.stubEnv('OPENAI_BASE_URL', openai.baseURL);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await redis.stop();
  await openai.stop();
  rmSync(scratch, { recursive: true, force: true });
});

it('each budget belongs to a package', () => {
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(budgets.map((budget) => budget.package)));
});

describe.each(packages)('$name', (each) => {
  const { name, directory, manifest } = each;
  const project = join(scratch, name);
  const specifiers = entryPoints(manifest).map((path) => name + path.slice(1));
  const report: string[] = [];
  let all: InstalledPackage[];
  let own: InstalledPackage;

  beforeAll(async () => {
    await installAlone(each, project, packages, tarballs);
    all = installedPackages(project);
    const found = all.find((installed) => installed.directory === join(project, 'node_modules', name));
    if (found === undefined) throw new Error(`${name} is not in node_modules.`);
    own = found;
  });
  afterAll(() => console.log(`${name} alone: ${report.join(', ')}`));

  it('packs the build and nothing else', () => {
    expect(contentFaults(tarballs.get(name)?.files ?? [], directory)).toEqual([]);
  });

  it('is what npm, Node, bundlers and TypeScript expect', async () => {
    expect(await packageFaults(each, tarballs.get(name) as Tarball)).toEqual([]);
  });

  it('has a valid manifest for npm and for users', () => {
    expect(manifestFaults(each, packages, root)).toEqual([]);
  });

  it('installs what it requires, within its budget', () => {
    const megabytes = sizeOf(all) / 1e6;
    report.push(`${all.length} ${all.length === 1 ? 'package' : 'packages'}, ${megabytes.toFixed(2)} MB`);
    expect(installFaults(project, name)).toEqual([]);
    for (const budget of budgets.filter((entry) => entry.package === name)) {
      expect(all.length).toBeLessThanOrEqual(budget.maxPackages);
      expect(megabytes).toBeLessThan(budget.maxMegabytes);
    }
  });

  it('has an SBOM of exactly what it installs and contains', async () => {
    const { metadata, components } = await sbomOf(each, project);
    const required = all.filter((one) => one !== own).map((one) => identify(one.manifest));
    const bundled = WITH_STEMMERS.includes(name) ? [expect.stringMatching(/^snowball-stemmers@/)] : [];
    // The lockfile also has optional packages for other platforms.
    const others = components.filter((one) => one.scope !== 'optional' && !required.includes(identify(one)));

    expect(identify(metadata.component)).toBe(identify(manifest));
    expect(components.map(identify)).toEqual(expect.arrayContaining(required));
    expect(others.map(identify)).toEqual(bundled);
  });

  it('imports only what it declares', () => {
    expect(importFaults(own)).toEqual([]);
  });

  it('loads with import and require()', async () => {
    if (specifiers.length === 0) expect(Object.keys(manifest.bin ?? {})).not.toEqual([]);
    for (const specifier of specifiers) {
      const { names: exported, importMs, differing } = await load(specifier, project);
      expect(exported).not.toEqual([]);
      expect(differing).toEqual([]);
      report.push(`import ${specifier === name ? '' : `${specifier} `}${importMs.toFixed(0)} ms, require ok`);
    }
  });

  it('runs a program, which compiles too', async () => {
    const program = placeProgram(name, project);
    const more = importedBy(program, packages).filter((other) => !all.some((one) => one.manifest.name === other));
    if (more.length > 0) await installMore(more, project, packages, tarballs);

    const portable = importsOf(own).every(({ imports }) => !imports.some(isBuiltin));
    const programs = [program, ...placeTypes(name, project)];
    const uses = { programs, specifiers, portable, oneSetup: SHARE < 1 };
    expect(await typeFaults(project, uses, compilers)).toEqual([]);

    const lowest = await installNode(lowestVersion(manifest.engines?.node ?? ''));
    // All other tests run on the current Node.
    for (const node of SHARE < 1 ? [lowest] : [lowest, currentNode]) {
      await runProgram(program, project, node.path);
      report.push(`program ok on Node ${node.version}`);
    }
  });
});
