import semver from 'semver';
import type { Package } from './packages.ts';
import type { Changeset } from './release.ts';

const TYPES = ['none', 'patch', 'minor', 'major'] as const;

/**
 * The versions that changesets require, by our rules: each package gets the highest bump; packages that are fixed together
 * get the same version; and a package whose dependency range excludes a new version gets a patch. A new version of a peer
 * changes no other package, because peer ranges allow it.
 */
export function expectedVersions(
  packages: readonly Package[],
  changesets: readonly Changeset[],
  fixed: readonly (readonly string[])[],
): Map<string, string> {
  const groups = packages.map(({ name }) => fixed.find((names) => names.includes(name)) ?? [name]);
  const asked = changesets.flatMap(({ releases }) => releases.map(({ name, type }) => ({ name, rank: rankOf(type) })));
  for (;;) {
    const versions = new Map(
      packages.map(({ name }, index) => {
        const group = groups[index] ?? [];
        const rank = Math.max(0, ...asked.filter((each) => group.includes(each.name)).map((each) => each.rank));
        return [name, rank === 0 ? versionOf(packages, [name]) : raise(versionOf(packages, group), rank)];
      }),
    );
    const left = packages.filter(
      (each) => isLeftBehind(each, versions) && !asked.some(({ name }) => name === each.name),
    );
    if (left.length === 0) return versions;
    asked.push(...left.map(({ name }) => ({ name, rank: rankOf('patch') })));
  }
}

function rankOf(type: string): number {
  return (TYPES as readonly string[]).indexOf(type);
}

/** The highest bump of a group. */
function versionOf(packages: readonly Package[], group: readonly string[]): string {
  const versions = packages.filter(({ name }) => group.includes(name)).map(({ manifest }) => manifest.version);
  return semver.rsort(versions)[0] ?? '';
}

function raise(version: string, rank: number): string {
  return semver.inc(version, TYPES[rank] as 'patch' | 'minor' | 'major') ?? '';
}

function isLeftBehind({ manifest: { dependencies = {} } }: Package, versions: ReadonlyMap<string, string>): boolean {
  return Object.entries(dependencies).some(([name, range]) => {
    const version = versions.get(name);
    return version !== undefined && !semver.satisfies(version, range);
  });
}
