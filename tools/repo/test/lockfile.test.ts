import { describe, expect, it } from 'vitest';
import { completeLockfile, type LockedPackage } from '../src/lockfile.ts';

const linter: LockedPackage = {
  version: '2.0.0',
  dev: true,
  optionalDependencies: {
    '@lint/cli-darwin-arm64': '2.0.0',
    '@lint/cli-linux-x64': '2.0.0',
    '@lint/cli-linux-x64-musl': '2.0.0',
    '@lint/cli-win32-x64-msvc': '2.0.0',
  },
};

describe('completeLockfile', () => {
  it('adds missing platform packages, restricted to their platform', () => {
    const present = { version: '2.0.0', integrity: 'sha512-x', os: ['linux'], cpu: ['x64'], optional: true };
    const packages = { 'node_modules/lint': linter, 'node_modules/@lint/cli-linux-x64': present };
    const lockfile = { packages };

    const added = completeLockfile(lockfile);

    expect(added).toEqual([
      'node_modules/@lint/cli-darwin-arm64',
      'node_modules/@lint/cli-linux-x64-musl',
      'node_modules/@lint/cli-win32-x64-msvc',
    ]);
    const made = { version: '2.0.0', dev: true, optional: true };
    expect(lockfile.packages).toEqual({
      ...packages,
      'node_modules/@lint/cli-darwin-arm64': { ...made, os: ['darwin'], cpu: ['arm64'] },
      'node_modules/@lint/cli-linux-x64-musl': { ...made, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
      'node_modules/@lint/cli-win32-x64-msvc': { ...made, os: ['win32'], cpu: ['x64'] },
    });
  });

  it('keeps the order of npm', () => {
    const lockfile = { packages: { '': {}, 'node_modules/lint': linter, 'packages/core': {} } };

    completeLockfile(lockfile);

    expect(Object.keys(lockfile.packages)).toEqual([
      '',
      'node_modules/@lint/cli-darwin-arm64',
      'node_modules/@lint/cli-linux-x64',
      'node_modules/@lint/cli-linux-x64-musl',
      'node_modules/@lint/cli-win32-x64-msvc',
      'node_modules/lint',
      'packages/core',
    ]);
  });

  it('puts a second version below the package that requires it', () => {
    const optionalDependencies = { '@lint/cli-darwin-x64': '2.0.0' };
    const lockfile = {
      packages: {
        'node_modules/@lint/cli-darwin-x64': { version: '1.0.0' },
        'node_modules/lint': { optionalDependencies: { '@lint/cli-darwin-x64': '1.0.0' } },
        'node_modules/other/node_modules/lint': { optionalDependencies },
      },
    };

    expect(completeLockfile(lockfile)).toEqual([
      'node_modules/other/node_modules/lint/node_modules/@lint/cli-darwin-x64',
    ]);
  });

  it('finds hoisted packages', () => {
    const lockfile = {
      packages: {
        'node_modules/a/node_modules/@lint/cli-darwin-x64': { version: '2.0.0' },
        'node_modules/a/node_modules/lint': { optionalDependencies: { '@lint/cli-darwin-x64': '2.0.0' } },
      },
    };

    expect(completeLockfile(lockfile)).toEqual([]);
  });

  it('adds nothing where an override puts another package in place of a platform package', () => {
    const lockfile = {
      packages: {
        'node_modules/@lint/cli-darwin-x64': { name: 'small', version: '1.0.0' },
        'node_modules/lint': { optionalDependencies: { '@lint/cli-darwin-x64': '2.0.0' } },
      },
    };

    expect(completeLockfile(lockfile)).toEqual([]);
  });

  it('ignores other optional packages', () => {
    const optionalDependencies = { colours: '1.0.0', 'range-darwin-x64': '^1.0.0' };

    expect(completeLockfile({ packages: { 'node_modules/a': { optionalDependencies } } })).toEqual([]);
  });
});
