import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { changelogEntry } from './changelog.ts';
import { expectedVersions } from './expected-versions.ts';
import { manifestFaults } from './manifest-faults.ts';
import type { Package } from './packages.ts';
import type { Release } from './release.ts';

/** The faults of a release in `directory`. `isFirst`: nothing has been published before. */
export function releaseFaults(release: Release, directory: string, isFirst: boolean): string[] {
  const { fixed } = JSON.parse(readFileSync(join(directory, '.changeset/config.json'), 'utf8'));
  return [
    ...versionFaults(release, fixed),
    ...release.after.flatMap((each) =>
      manifestFaults(each, release.after, directory).map((fault) => `${each.name}: ${fault}`),
    ),
    ...changelogFaults(release),
    ...lockfileFaults(release, directory),
    ...publicationFaults(release, isFirst),
  ];
}

/** The packages whose version a release changed. */
export function bumped({ before, after }: Pick<Release, 'before' | 'after'>): Package[] {
  return after.filter(({ name, manifest }) => find(before, name)?.manifest.version !== manifest.version);
}

function find(packages: readonly Package[], name: string): Package | undefined {
  return packages.find((each) => each.name === name);
}

/** Also checks that packages without a new version are unchanged. */
function versionFaults({ before, after, changesets }: Release, fixed: string[][]): string[] {
  const expected = expectedVersions(before, changesets, fixed);
  return after.flatMap(({ name, manifest }) => {
    const old = find(before, name)?.manifest;
    if (manifest.version !== expected.get(name)) {
      return [`${name} went from ${old?.version} to ${manifest.version} instead of ${expected.get(name)}.`];
    }
    return manifest.version !== old?.version || isDeepStrictEqual(manifest, old)
      ? []
      : [`${name} was changed, but keeps its version.`];
  });
}

function changelogFaults(release: Release): string[] {
  return bumped(release).flatMap(({ name, directory, manifest: { version } }) => {
    const entry = changelogEntry(directory, version);
    if (entry === undefined) return [`${name} has no entry for ${version} in CHANGELOG.md.`];
    return release.changesets
      .filter(({ releases }) => releases.some((each) => each.name === name && each.type !== 'none'))
      .filter(({ summary }) => summary.split('\n').some((line) => !entry.includes(line.trim())))
      .map(({ id }) => `${name}: CHANGELOG.md lacks the text of changeset ${id}.`);
  });
}

function lockfileFaults({ after }: Release, directory: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8'));
  return after.flatMap(({ name, directory: at, manifest: { version } }) => {
    const locked = packages[relative(directory, at).replaceAll('\\', '/')]?.version;
    return locked === version ? [] : [`package-lock.json has ${name} at ${locked} instead of ${version}.`];
  });
}

/**
 * Checks what would be published: everything in the first release, then packages with a new version. Never a private one.
 */
function publicationFaults(release: Release, isFirst: boolean): string[] {
  const identify = (name: string, version: string) => `${name}@${version}`;
  const due = (isFirst ? release.after : bumped(release)).map(({ name, manifest }) => identify(name, manifest.version));
  const published = release.published.map(({ name, version }) => identify(name, version));
  return [
    ...due.filter((id) => !published.includes(id)).map((id) => `${id} would not be published.`),
    ...published.filter((id) => !due.includes(id)).map((id) => `${id} would be published.`),
    ...release.published
      .filter(({ access }) => access !== 'public')
      .map(({ name, access }) => `${name} would be published for ${access} access.`),
  ];
}
