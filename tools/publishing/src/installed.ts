import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, readManifest, requirements } from './packages.ts';

/** A package in a `node_modules`. */
export interface InstalledPackage {
  readonly directory: string;
  readonly manifest: Manifest;
}

/** Every package below the `node_modules` of a directory, nested ones too. */
export function installedPackages(directory: string): InstalledPackage[] {
  const modules = join(directory, 'node_modules');
  return directoriesIn(modules)
    .flatMap((entry) => {
      const path = join(modules, entry.name);
      return entry.name.startsWith('@') ? directoriesIn(path).map(({ name }) => join(path, name)) : [path];
    })
    .flatMap((path) => [
      { directory: path, manifest: readManifest(join(path, 'package.json')) },
      ...installedPackages(path),
    ]);
}

/** What npm keeps for itself begins with a dot. */
function directoriesIn(path: string): Dirent[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
}

/** The sizes of all files of installed packages, added up: what they take on a disk, but for its blocks. */
export function sizeOf(packages: readonly InstalledPackage[]): number {
  return packages
    .flatMap(({ directory }) => filesBelow(directory))
    .reduce((total, path) => total + statSync(path).size, 0);
}

/** Files of one package: those of packages that are nested in it are theirs. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** What is wrong with a project into which `name` was installed alone: what is missing, and what nobody asked for. */
export function installFaults(project: string, name: string): string[] {
  const installed = new Map(installedPackages(project).map((each) => [each.directory, each]));
  const start = installed.get(join(project, 'node_modules', name));
  if (start === undefined) return [`${name} is not installed.`];

  const asked = new Set([start]);
  const missing: string[] = [];
  for (const { directory, manifest } of asked) {
    for (const required of requirements(manifest).keys()) {
      const found = resolve(required, directory, project, installed);
      if (found === undefined) missing.push(`${manifest.name} needs ${required}, which is not installed.`);
      else asked.add(found);
    }
    for (const optional of Object.keys(manifest.optionalDependencies ?? {})) {
      const found = resolve(optional, directory, project, installed);
      if (found !== undefined) asked.add(found);
    }
  }
  const unasked = [...installed.values()].filter((each) => !asked.has(each));
  return [
    ...missing,
    ...unasked.map(({ manifest }) => `${manifest.name}@${manifest.version} is installed, but nothing asks for it.`),
  ];
}

/** As Node resolves: from the package's own `node_modules` outwards. */
function resolve(
  name: string,
  from: string,
  project: string,
  installed: ReadonlyMap<string, InstalledPackage>,
): InstalledPackage | undefined {
  const found = installed.get(join(from, 'node_modules', name));
  return found !== undefined || from === project ? found : resolve(name, dirname(from), project, installed);
}
