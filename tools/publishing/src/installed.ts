import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, readManifest, requirements } from './packages.ts';

/** An installed package. */
export interface InstalledPackage {
  readonly directory: string;
  readonly manifest: Manifest;
}

/** Every package below `node_modules` of a directory, including nested ones. */
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

/** npm's own entries start with a dot. */
function directoriesIn(path: string): Dirent[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
}

/** The total size of all files of installed packages. */
export function sizeOf(packages: readonly InstalledPackage[]): number {
  return packages
    .flatMap(({ directory }) => filesBelow(directory))
    .reduce((total, path) => total + statSync(path).size, 0);
}

/** The files of one package, without those of nested packages. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The faults of a project into which only `name` was installed: missing and unrequested packages. */
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
    ...unasked.map(({ manifest }) => `${manifest.name}@${manifest.version} is installed, but nothing requires it.`),
  ];
}

/** Resolves like Node: from the package's own `node_modules` outwards. */
function resolve(
  name: string,
  from: string,
  project: string,
  installed: ReadonlyMap<string, InstalledPackage>,
): InstalledPackage | undefined {
  const found = installed.get(join(from, 'node_modules', name));
  return found !== undefined || from === project ? found : resolve(name, dirname(from), project, installed);
}
