import type { Rehearsed } from './rehearsal.ts';
import { bumped } from './release-faults.ts';

/** Describes a rehearsed release as text. */
export function describeRelease(release: Rehearsed): string {
  const { title, changesets, before, published, faults } = release;
  const versions = bumped(release).map(({ name, manifest: { version } }) => {
    const old = before.find((each) => each.name === name)?.manifest.version;
    return `  ${name} ${old} → ${version}`;
  });
  const publications = published.map(
    ({ name, version, files, packedBytes, bytes }) =>
      `  ${name}@${version}  ${files} files, ${kilobytes(packedBytes)} packed, ${kilobytes(bytes)} unpacked`,
  );
  return [
    `${title} (changesets: ${changesets.length})`,
    versions.length === 0 ? 'No new versions.' : 'New versions:',
    ...versions,
    publications.length === 0 ? 'Nothing to publish.' : 'To be published:',
    ...publications,
    ...faults.map((fault) => `  WRONG: ${fault}`),
  ].join('\n');
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
