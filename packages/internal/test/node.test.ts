import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  digest,
  freeName,
  hasEnded,
  heldName,
  holderIn,
  isMissing,
  syncFolder,
  THIS_PROCESS,
  tryRename,
  UNKNOWN_START,
} from '../src/node.ts';

const folder = mkdtempSync(join(tmpdir(), 'keepsake-internal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('hasEnded', () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version']);

  it('distinguishes running processes from those that have ended', () => {
    expect(hasEnded(THIS_PROCESS)).toBe(false);
    expect(hasEnded({ ...THIS_PROCESS, pid: ended })).toBe(true);
  });

  it.runIf(process.platform === 'linux')('distinguishes a process from a later one with the same pid', () => {
    expect(hasEnded({ ...THIS_PROCESS, start: '1' })).toBe(true);
    expect(hasEnded({ ...THIS_PROCESS, start: UNKNOWN_START })).toBe(false);
  });

  it('is never certain about another machine', () => {
    expect(hasEnded({ host: '0123456789ab', pid: ended, start: '1' })).toBe(false);
  });
});

describe('the name of a lock', () => {
  it('identifies the holder', () => {
    expect(holderIn(heldName())).toEqual(THIS_PROCESS);
    expect(holderIn(`lock-7-${heldName()}`)).toEqual(THIS_PROCESS);
    expect(holderIn(freeName())).toBeUndefined();
    expect(holderIn('held-by-nobody')).toBeUndefined();
  });

  it('is never reused', () => {
    const names = Array.from({ length: 100 }, () => [freeName(), heldName()]).flat();
    expect(new Set(names).size).toBe(200);
  });
});

it('tryRename returns whether the file existed', () => {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  writeFileSync(from, '');
  expect(tryRename(from, to)).toBe(true);
  expect(existsSync(to)).toBe(true);
  expect(tryRename(from, to)).toBe(false);
  expect(() => tryRename(to, join(to, 'below'))).toThrow();
});

it('isMissing is true only for errors about missing files', () => {
  expect(isMissing(Object.assign(new Error(), { code: 'ENOENT' }))).toBe(true);
  expect(isMissing(Object.assign(new Error(), { code: 'EACCES' }))).toBe(false);
});

it('syncFolder accepts folders, even those that cannot be opened', () => {
  syncFolder(folder);
  syncFolder(join(folder, 'none'));
});

it('digest returns the first hex digits of the SHA-256', () => {
  expect(digest('abc', 64)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(digest('abc', 12)).toBe('ba7816bf8f01');
});
