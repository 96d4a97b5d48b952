// @module-tag nightly: packs, versions and publishes all packages to a registry of its own.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import semver from 'semver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRelease } from '../src/describe-release.ts';
import { findPackages, type Package } from '../src/packages.ts';
import { type Rehearsed, rehearse } from '../src/rehearsal.ts';
import { bumped } from '../src/release-faults.ts';

const root = join(import.meta.dirname, '../../..');
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-rehearsal-'));
const all = findPackages(root).map(({ name }) => name);
let releases: Rehearsed[];

beforeAll(async () => {
  releases = await rehearse(root, scratch);
  console.log(releases.map(describeRelease).join('\n\n'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const core = ({ after }: Rehearsed) => after.find(({ name }) => name === '@keepsake/core') as Package;
const version = ({ manifest }: Package) => manifest.version;

describe('the next releases', () => {
  it('have the versions, changelogs and packages of the changesets', () => {
    expect(releases.map(({ title, faults }) => ({ title, faults }))).toEqual(
      releases.map(({ title }) => ({ title, faults: [] })),
    );
  });

  it('start with everything that npm lacks, and nothing private', () => {
    expect(releases[0]?.published.map(({ name }) => name).sort()).toEqual(all);
  });

  it('keep core and the kit at the same version', () => {
    for (const release of releases) {
      const kit = release.after.find(({ name }) => name === '@keepsake/conformance') as Package;
      expect(version(kit)).toBe(version(core(release)));
    }
  });

  it('leave backends unchanged if core gets a feature', () => {
    const [, feature] = releases as [Rehearsed, Rehearsed];
    expect(feature.published.map(({ name }) => name)).toContain('@keepsake/core');
    for (const { name, manifest } of feature.after) {
      const range = manifest.peerDependencies?.['@keepsake/core'];
      if (name === '@keepsake/conformance' || range === undefined) continue;
      expect(semver.satisfies(version(core(feature)), range), `${name} accepts the new core`).toBe(true);
      const isNew = bumped(feature).some((each) => each.name === name);
      expect(isNew, `${name} has a new version`).toBe('@keepsake/core' in (manifest.dependencies ?? {}));
    }
  });

  it('give a patch to packages that depend on one with a new feature', () => {
    const [, before, features] = releases as [Rehearsed, Rehearsed, Rehearsed];
    const named = features.changesets.flatMap(({ releases: named }) => named.map(({ name }) => name));
    const others = bumped(features).filter(({ name }) => !named.includes(name) && name !== '@keepsake/conformance');
    for (const each of others) {
      const old = before.after.find(({ name }) => name === each.name) as Package;
      expect(semver.diff(version(old), version(each)), each.name).toBe('patch');
    }
  });
});
