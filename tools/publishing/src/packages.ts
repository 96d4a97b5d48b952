import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Ranges = Readonly<Record<string, string>>;

/** A package.json, as far as we read it. */
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

/** A package of this repository that gets published. */
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

/** What must be there where a package is installed, with its ranges: dependencies and peers that are not optional. */
export function requirements(manifest: Manifest): Map<string, string> {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const isOptional = (name: string) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true;
  return new Map(Object.entries({ ...peerDependencies, ...dependencies }).filter(([name]) => !isOptional(name)));
}

/** Paths by which a package can be imported, as `.` and `./x`. */
export function entryPoints({ exports = {} }: Manifest): string[] {
  return Object.keys(exports).filter((path) => path !== './package.json');
}

/** The packages of this repository that come with a package: itself, what it requires, what those require. */
export function closure(name: string, packages: readonly Package[]): Package[] {
  const byName = new Map(packages.map((each) => [each.name, each]));
  const names = new Set([name]);
  // A set that grows is walked to its new end.
  for (const each of names) {
    const { manifest } = byName.get(each) ?? {};
    if (manifest === undefined) continue;
    for (const required of requirements(manifest).keys()) if (byName.has(required)) names.add(required);
  }
  return packages.filter((each) => names.has(each.name));
}
