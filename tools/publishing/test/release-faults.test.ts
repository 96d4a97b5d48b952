import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectedVersions } from '../src/expected-versions.ts';
import type { Manifest, Package } from '../src/packages.ts';
import type { Changeset, Publication, Release } from '../src/release.ts';
import { releaseFaults } from '../src/release-faults.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-release-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function makePackage(name: string, version: string, more: Partial<Manifest> = {}): Package {
  const at = `packages/${name}`;
  const rest = { license: 'MIT', engines: { node: '>=22' }, repository: { directory: at }, ...more };
  return { name, directory: join(directory, at), manifest: { name, version, ...rest } };
}

const changeset = (...releases: (readonly [name: string, type: string])[]): Changeset => ({
  id: 'quick-otters',
  summary: 'Faster.\n\nMuch faster.',
  releases: releases.map(([name, type]) => ({ name, type })),
});

describe('expectedVersions', () => {
  const packages = () => [
    makePackage('core', '0.3.1'),
    makePackage('kit', '0.3.0', { peerDependencies: { core: '^0.3.0' } }),
    makePackage('engine', '0.2.0'),
    makePackage('backend', '0.5.0', { dependencies: { engine: '^0.2.0' }, peerDependencies: { core: '<1.0.0' } }),
    makePackage('tool', '1.4.0', { dependencies: { backend: '^0.5.0' } }),
  ];
  const expected = (...changesets: Changeset[]) =>
    Object.fromEntries(expectedVersions(packages(), changesets, [['core', 'kit']]));
  const now = { core: '0.3.1', kit: '0.3.0', engine: '0.2.0', backend: '0.5.0', tool: '1.4.0' };

  it('changes nothing without changesets', () => {
    expect(expected()).toEqual(now);
    expect(expected(changeset(['engine', 'none']))).toEqual(now);
  });

  it('uses the highest bump of a package', () => {
    expect(expected(changeset(['tool', 'minor']), changeset(['tool', 'patch']))).toEqual({ ...now, tool: '1.5.0' });
  });

  it('gives fixed packages the same version, and their peers none', () => {
    expect(expected(changeset(['kit', 'minor']))).toEqual({ ...now, core: '0.4.0', kit: '0.4.0' });
    expect(expected(changeset(['kit', 'patch']))).toEqual({ ...now, core: '0.3.2', kit: '0.3.2' });
  });

  it('gives a patch only to packages whose range excludes the new version', () => {
    expect(expected(changeset(['engine', 'patch']))).toEqual({ ...now, engine: '0.2.1' });
    expect(expected(changeset(['engine', 'minor']))).toEqual({ ...now, engine: '0.3.0', backend: '0.5.1' });
    expect(expected(changeset(['backend', 'minor']))).toEqual({ ...now, backend: '0.6.0', tool: '1.4.1' });
  });
});

describe('releaseFaults', () => {
  /** A correct release, written to the directory. */
  function rightRelease(): Release {
    const before = [
      makePackage('core', '0.1.0'),
      makePackage('backend', '0.1.0', { peerDependencies: { core: '<1' } }),
    ];
    const after = [makePackage('core', '0.2.0'), makePackage('backend', '0.1.0', { peerDependencies: { core: '<1' } })];
    write('.changeset/config.json', JSON.stringify({ fixed: [] }));
    write(
      'packages/core/CHANGELOG.md',
      '# core\n\n## 0.2.0\n\n- abc: Faster.\n\n  Much faster.\n\n## 0.1.0\n\n- First.\n',
    );
    lock({ core: '0.2.0', backend: '0.1.0' });
    return { changesets: [changeset(['core', 'minor'])], before, after, published: [published('core', '0.2.0')] };
  }

  function write(path: string, text: string): void {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  }

  function lock(versions: Record<string, string>): void {
    const packages = Object.entries(versions).map(([name, version]) => [`packages/${name}`, { version }]);
    write('package-lock.json', JSON.stringify({ packages: Object.fromEntries(packages) }));
  }

  const published = (name: string, version: string, access = 'public'): Publication => ({
    ...{ name, version, access },
    ...{ files: 1, packedBytes: 1, bytes: 1 },
  });

  it('finds no fault in a correct release', () => {
    expect(releaseFaults(rightRelease(), directory, false)).toEqual([]);
  });

  it('finds a wrong version', () => {
    const release = rightRelease();
    const after = [release.after[0] as Package, makePackage('backend', '1.0.0', { peerDependencies: { core: '<1' } })];

    expect(releaseFaults({ ...release, after }, directory, false)).toContain(
      'backend went from 0.1.0 to 1.0.0 instead of 0.1.0.',
    );
  });

  it('finds a manifest that changed without a new version', () => {
    const release = rightRelease();
    const after = [release.after[0] as Package, makePackage('backend', '0.1.0', { peerDependencies: { core: '<2' } })];

    expect(releaseFaults({ ...release, after }, directory, false)).toEqual([
      'backend was changed, but keeps its version.',
    ]);
  });

  it('finds a range that excludes the new version', () => {
    const release = rightRelease();
    const narrow = makePackage('backend', '0.1.0', { peerDependencies: { core: '^0.1.0' } });
    const [before, after] = [release.before, release.after].map((packages) => [packages[0] as Package, narrow]);

    expect(releaseFaults({ ...release, before, after } as Release, directory, false)).toEqual([
      'backend: core is required as ^0.1.0, which excludes 0.2.0.',
    ]);
  });

  it('finds a changelog without the version or without the text', () => {
    const release = rightRelease();
    write('packages/core/CHANGELOG.md', '# core\n\n## 0.2.0\n\n- abc: Faster.\n\n## 0.1.0\n\n- Much faster.\n');
    expect(releaseFaults(release, directory, false)).toEqual([
      'core: CHANGELOG.md lacks the text of changeset quick-otters.',
    ]);
    write('packages/core/CHANGELOG.md', '# core\n\n## 0.1.0\n\n- Faster.\n');
    expect(releaseFaults(release, directory, false)).toEqual(['core has no entry for 0.2.0 in CHANGELOG.md.']);
  });

  it('finds an outdated lockfile', () => {
    const release = rightRelease();
    lock({ core: '0.1.0', backend: '0.1.0' });

    expect(releaseFaults(release, directory, false)).toEqual(['package-lock.json has core at 0.1.0 instead of 0.2.0.']);
  });

  it('finds packages that would not be published, and ones that should not be', () => {
    const release = rightRelease();
    expect(releaseFaults(release, directory, true)).toEqual(['backend@0.1.0 would not be published.']);
    const wrong = [published('core', '0.2.0', 'restricted'), published('repo', '0.0.0')];
    expect(releaseFaults({ ...release, published: wrong }, directory, false)).toEqual([
      'repo@0.0.0 would be published.',
      'core would be published for restricted access.',
    ]);
  });
});
