import { relative } from 'node:path';
import semver from 'semver';
import type { Package } from './packages.ts';

/** The faults of a package.json that would affect users or stop npm from publishing the package. */
export function manifestFaults({ name, directory, manifest }: Package, packages: readonly Package[], root: string) {
  const faults = rangeFaults(manifest, packages);
  if (manifest.engines?.node === undefined) faults.push('engines.node is missing.');
  if (manifest.license === undefined) faults.push('license is missing.');
  if (name.startsWith('@') && manifest.publishConfig?.access !== 'public') {
    faults.push('publishConfig.access is not "public": npm would refuse the first version of a scoped package.');
  }
  const at = relative(root, directory).replaceAll('\\', '/');
  if (manifest.repository?.directory !== at) {
    faults.push(`repository.directory is not "${at}": npm compares it with the directory of the build.`);
  }
  return faults;
}

function rangeFaults(
  { dependencies, optionalDependencies, peerDependencies }: Package['manifest'],
  packages: readonly Package[],
) {
  const versions = new Map(packages.map(({ name, manifest: { version } }) => [name, version]));
  const ranges = [dependencies, optionalDependencies, peerDependencies].flatMap((each) => Object.entries(each ?? {}));
  return ranges.flatMap(([name, range]) => {
    if (semver.validRange(range) === null) return [`${name} is required as "${range}", which is not a version range.`];
    if (semver.subset('*', range)) return [`${name} is required in any version.`];
    const version = versions.get(name);
    if (version === undefined) return name.startsWith('@keepsake/') ? [`${name} is required, but not published.`] : [];
    return semver.satisfies(version, range) ? [] : [`${name} is required as ${range}, which excludes ${version}.`];
  });
}
