import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Ranges = Readonly<Record<string, string>>;

/** The fields of package.json that are read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly engines?: Ranges;
  readonly repository?: { readonly directory?: string };
  readonly publishConfig?: { readonly access?: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Ranges;
  readonly optionalDependencies?: Ranges;
  readonly peerDependencies?: Ranges;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A published package of this repository. */
export interface Package {
  readonly name: string;
  readonly directory: string;
  readonly manifest: Manifest;
}

/** Every package below `packages/` that is not private, by name. */
export function findPackages(root: string): Package[] {
  return globSync('packages/*/package.json', { cwd: root })
    .map((path) => {
      const manifest = readManifest(join(root, path));
      return { name: manifest.name, directory: join(root, dirname(path)), manifest };
    })
    .filter(({ manifest }) => manifest.private !== true)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The dependencies and non-optional peers of a package, with their ranges. */
export function requirements(manifest: Manifest): Map<string, string> {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const isOptional = (name: string) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true;
  return new Map(Object.entries({ ...peerDependencies, ...dependencies }).filter(([name]) => !isOptional(name)));
}

/** The import paths of a package, such as `.` and `./x`, without those of its programs, which importing would start. */
export function entryPoints({ exports = {}, bin = {} }: Manifest): string[] {
  const others = ['./package.json', ...Object.values(bin)];
  return Object.keys(exports).filter((path) => !others.includes(path));
}

/** A package and all packages of this repository that it requires, directly or indirectly. */
export function closure(name: string, packages: readonly Package[]): Package[] {
  const byName = new Map(packages.map((each) => [each.name, each]));
  const names = new Set([name]);
  // Iterating over a set includes elements that are added during the loop.
  for (const each of names) {
    const { manifest } = byName.get(each) ?? {};
    if (manifest === undefined) continue;
    for (const required of requirements(manifest).keys()) if (byName.has(required)) names.add(required);
  }
  return packages.filter((each) => names.has(each.name));
}
