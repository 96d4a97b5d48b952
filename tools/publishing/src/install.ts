import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '@keepsake/testing/npm';
import type { Tarball } from './pack.ts';
import { closure, type Package, requirements } from './packages.ts';

/**
 * Creates an empty project in `directory` and installs one package with its peers and nothing else.
 *
 * Required packages of this repository come from tarballs with their current versions. If a range excludes the current
 * version, npm looks elsewhere and fails. Everything else comes from npm's registry.
 */
export async function installAlone(
  each: Package,
  directory: string,
  packages: readonly Package[],
  tarballs: ReadonlyMap<string, Pick<Tarball, 'path'>>,
): Promise<void> {
  const ours = closure(each.name, packages);
  createProject(each, ours, directory, tarballs);
  await install(directory);
}

/**
 * Writes the package-lock.json of {@link installAlone} and installs nothing. Packages of this repository without a tarball
 * come from npm's registry.
 */
export async function lockAlone(
  each: Package,
  directory: string,
  packages: readonly Package[],
  tarballs: ReadonlyMap<string, Pick<Tarball, 'path'>>,
): Promise<void> {
  const ours = closure(each.name, packages).filter(({ name }) => tarballs.has(name));
  createProject(each, ours, directory, tarballs);
  await install(directory, ['--package-lock-only']);
}

function createProject(
  { manifest }: Package,
  fromTarballs: readonly Package[],
  directory: string,
  tarballs: ReadonlyMap<string, Pick<Tarball, 'path'>>,
): void {
  const ours = fromTarballs.map(({ name }) => [name, tarballSpec(name, tarballs)] as const);
  const peers = [...requirements(manifest)].filter(([required]) => required in (manifest.peerDependencies ?? {}));
  const dependencies = { ...Object.fromEntries(peers), ...Object.fromEntries(ours) };
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ name: 'alone', version: '0.0.0', private: true, type: 'module', dependencies }),
  );
}

/** Adds the packages of this repository that a program imports besides its own package. */
export async function installMore(
  names: readonly string[],
  directory: string,
  packages: readonly Package[],
  tarballs: ReadonlyMap<string, Tarball>,
): Promise<void> {
  const all = new Set(names.flatMap((name) => closure(name, packages)));
  await install(
    directory,
    [...all].map(({ name }) => tarballSpec(name, tarballs)),
  );
}

// Overrides machine settings that would install more or less than a user gets. Install scripts are off: our packages
// need none, and those of others may download anything.
const ARGUMENTS = [
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--strict-peer-deps',
  '--legacy-peer-deps=false',
  '--install-strategy=hoisted',
  '--include=prod',
  '--include=peer',
  '--include=optional',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
];

async function install(directory: string, more: readonly string[] = []): Promise<void> {
  await npm(['install', ...ARGUMENTS, ...more], { cwd: directory });
}

function tarballSpec(name: string, tarballs: ReadonlyMap<string, Pick<Tarball, 'path'>>): string {
  const tarball = tarballs.get(name);
  if (tarball === undefined) throw new Error(`${name} was not packed.`);
  return `file:${tarball.path}`;
}
