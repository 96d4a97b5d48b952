import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { THIS_PROCESS } from '@keepsake/internal/node';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { localDirectory } from '../src/index.ts';

const directory = useDirectory();
const PROGRAM = join(import.meta.dirname, 'programs/append.ts');

it('a local directory creates no files before the first write', async () => {
  const root = join(directory.path, 'workspace');
  const files = localDirectory(root);
  await files.read('a.md');
  await files.list('');
  expect(existsSync(root)).toBe(false);
});

it('a local directory has the same id for all of its paths', () => {
  const root = join(directory.path, 'real');
  mkdirSync(root);
  symlinkSync(root, join(directory.path, 'link'));
  expect(localDirectory(join(directory.path, 'link', '.')).id).toBe(localDirectory(root).id);
  expect(localDirectory(join(directory.path, 'link', 'later')).id).toBe(localDirectory(join(root, 'later')).id);
});

it('a local directory follows no symbolic links to outside folders or files', async () => {
  const [root, outside] = [join(directory.path, 'workspace'), join(directory.path, 'outside')];
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.md'), 'secret');
  symlinkSync(outside, join(root, 'memories'));
  symlinkSync(join(outside, 'secret.md'), join(root, 'link.md'));
  const files = localDirectory(root);
  for (const path of ['memories/secret.md', 'link.md']) {
    await expect(files.read(path)).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(files.write(path, 'x')).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(files.append(path, 'x')).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(files.delete(path)).rejects.toMatchObject({ code: 'CORRUPT' });
  }
  await expect(files.list('memories')).rejects.toMatchObject({ code: 'CORRUPT' });
  expect(await files.list('')).toEqual([]);
  expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret');
  expect(readdirSync(outside)).toEqual(['secret.md']);
});

it('a local directory does not follow a symbolic link that replaces it', async () => {
  const [root, outside] = [join(directory.path, 'workspace'), join(directory.path, 'outside')];
  const files = localDirectory(root);
  await files.write('a.md', 'inside');
  renameSync(root, join(directory.path, 'away'));
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.md'), 'outside');
  symlinkSync(outside, root);
  for (const call of [
    () => files.read('a.md'),
    () => files.write('b.md', 'x'),
    () => files.append('c.jsonl', 'x'),
    () => files.delete('a.md'),
    () => files.list(''),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'CORRUPT' });
  }
  expect(readdirSync(outside)).toEqual(['a.md']);
});

it('a write waits for a paused process that holds the lock, because it may continue', async () => {
  const files = localDirectory(directory.path);
  await files.write('a.md', 'x');
  const folder = join(directory.path, '.keepsake-lock');
  const { host, pid, start } = THIS_PROCESS;
  const held = join(folder, `held-${host}-${pid}-${start}-x`);
  renameSync(join(folder, readdirSync(folder)[0] as string), held);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(held, longAgo, longAgo);
  const written = files.write('b.md', 'y');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await files.read('b.md')).toBeUndefined();
  renameSync(held, join(folder, 'free-x'));
  await written;
  expect((await files.read('b.md'))?.text).toBe('y');
});

it('an append first closes a torn line', async () => {
  const files = localDirectory(directory.path);
  await files.append('a.jsonl', '{"n":1}');
  appendFileSync(join(directory.path, 'a.jsonl'), '{"n":2,"te');
  await files.append('a.jsonl', '{"n":3}');
  expect((await files.read('a.jsonl'))?.text).toBe('{"n":1}\n{"n":2,"te\n{"n":3}\n');
});

it('every line of 50 concurrent writers in two processes is kept', async () => {
  const runs = ['a', 'b'].map((name) => runProgram(PROGRAM, [directory.path, name, '25', '4']));
  for (const { status, stderr } of await Promise.all(runs)) expect([status, stderr]).toEqual([0, '']);
  const text = (await localDirectory(directory.path).read('sessions/shared.jsonl'))?.text ?? '';
  const segments = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).input[0].content);
  expect(segments).toHaveLength(200);
  expect(new Set(segments).size).toBe(200);
});

it('a local directory is for this user only, and keeps the rights that somebody gave a file', async () => {
  const root = join(directory.path, 'workspace');
  const modeOf = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8);
  const before = process.umask(0);
  try {
    const files = localDirectory(root);
    await files.write('memories/a.md', 'text');
    await files.append('sessions/b.jsonl', '{}');
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name).slice(root.length);
      expect(modeOf(path), path).toBe(entry.isDirectory() ? '700' : '600');
    }
    expect(modeOf('.')).toBe('700');
    chmodSync(join(root, 'memories/a.md'), 0o644);
    await files.write('memories/a.md', 'new text');
    expect(modeOf('memories/a.md')).toBe('644');
  } finally {
    process.umask(before);
  }
});

it('a pipe in a local directory is an error, not a wait', async () => {
  execFileSync('mkfifo', [join(directory.path, 'a.md')]);
  const files = localDirectory(directory.path);
  for (const call of [
    () => files.read('a.md'),
    () => files.append('a.md', 'x'),
    () => files.write('a.md', 'x', { ifVersion: null }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'BACKEND', message: expect.stringMatching(/pipe/) });
  }
});
