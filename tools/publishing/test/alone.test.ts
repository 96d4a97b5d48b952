import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenAIEmulator, startOpenAI } from '@keepsake/emulators';
import { type RedisServer, startRedis } from '@keepsake/services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBudgets } from '../src/budgets.ts';
import { contentFaults } from '../src/content-faults.ts';
import { importFaults, importsOf } from '../src/imports.ts';
import { installAlone, installMore } from '../src/install.ts';
import { type InstalledPackage, installedPackages, installFaults, sizeOf } from '../src/installed.ts';
import { load } from '../src/load.ts';
import { manifestFaults } from '../src/manifest-faults.ts';
import { currentNode, lowestNode } from '../src/nodes.ts';
import { pack, type Tarball } from '../src/pack.ts';
import { entryPoints, findPackages } from '../src/packages.ts';
import { importedBy, placeProgram, runProgram } from '../src/programs.ts';
import { typeFaults } from '../src/type-faults.ts';

const root = join(import.meta.dirname, '../../..');
const packages = findPackages(root);
const budgets = readBudgets();
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-alone-'));
let tarballs: Map<string, Tarball>;
let redis: RedisServer;
let openai: OpenAIEmulator;

beforeAll(async () => {
  tarballs = await pack(packages, join(scratch, 'tarballs'));
  redis = await startRedis({ own: true });
  openai = await startOpenAI();
  // For the programs of packages that need a server.
  process.env.REDIS_URL = redis.url;
  process.env.OPENAI_BASE_URL = openai.baseURL;
});
afterAll(async () => {
  await redis.stop();
  await openai.stop();
  rmSync(scratch, { recursive: true, force: true });
});

it('has a package for each budget', () => {
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
    if (found === undefined) throw new Error(`${name} is not where npm puts it.`);
    own = found;
  });
  afterAll(() => console.log(`${name} alone: ${report.join(', ')}`));

  it('packs what was built, and nothing else', () => {
    expect(contentFaults(tarballs.get(name)?.files ?? [], directory)).toEqual([]);
  });

  it('has a manifest that npm and users accept', () => {
    expect(manifestFaults(each, packages, root)).toEqual([]);
  });

  it('installs what it asks for, and no more than its budget', () => {
    const megabytes = sizeOf(all) / 1e6;
    report.push(`${all.length} ${all.length === 1 ? 'package' : 'packages'}, ${megabytes.toFixed(2)} MB`);
    expect(installFaults(project, name)).toEqual([]);
    for (const budget of budgets.filter((entry) => entry.package === name)) {
      expect(all.length).toBeLessThanOrEqual(budget.maxPackages);
      expect(megabytes).toBeLessThan(budget.maxMegabytes);
    }
  });

  it('imports only what it asks for', () => {
    expect(importFaults(own)).toEqual([]);
  });

  it('loads by import and by require()', async () => {
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
    expect(typeFaults(project, { program, specifiers, portable })).toEqual([]);

    await runProgram(program, project, currentNode.path);
    const engines = manifest.engines?.node ?? '';
    const lowest = await lowestNode(engines);
    if (lowest !== undefined) await runProgram(program, project, lowest.path);
    const also = lowest === undefined ? `the lowest of ${engines} is not at hand` : `and on ${lowest.version}`;
    report.push(`program ok on Node ${currentNode.version}`, also);
  });
});
