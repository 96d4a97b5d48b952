import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { recordWorkspace } from '../src/index.ts';
import { PLACES } from './support/places.ts';

const directory = useDirectory();

describe.each(PLACES)('a workspace (%s)', (_, openIn) => {
  const open = () => openIn(directory.path);

  it('returns written texts, with a new version for each write', async () => {
    const files = open();
    expect(await files.read('memories/MEMORY.md')).toBeUndefined();
    const first = await files.write('memories/MEMORY.md', 'one\n');
    const second = await files.write('memories/MEMORY.md', '\n');
    expect(second).not.toBe(first);
    expect(await files.read('memories/MEMORY.md')).toEqual({ text: '\n', version: second });
    await files.write('memories/MEMORY.md', '');
    expect((await files.read('memories/MEMORY.md'))?.text).toBe('');
  });

  it('stores texts of any size and with any characters', async () => {
    const files = open();
    const text = `${'ä🌊 \u2028'.repeat(400_000)}end`;
    await files.write('large.md', text);
    expect((await files.read('large.md'))?.text === text).toBe(true);
    await files.write('large.md', 'small');
    expect((await files.read('large.md'))?.text).toBe('small');
  });

  it('writes only if the version is the expected one', async () => {
    const files = open();
    const version = await files.write('a/b.md', 'one', { ifVersion: null });
    await expect(files.write('a/b.md', 'two', { ifVersion: null })).rejects.toMatchObject({ code: 'CONFLICT' });
    const next = await files.write('a/b.md', 'two', { ifVersion: version });
    await expect(files.write('a/b.md', 'three', { ifVersion: version })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(files.delete('a/b.md', { ifVersion: version })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(files.write('none.md', 'x', { ifVersion: version })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await files.delete('a/b.md', { ifVersion: next })).toBe(true);
    expect(await files.delete('a/b.md')).toBe(false);
    expect(await files.read('a/b.md')).toBeUndefined();
  });

  it('accepts one of many concurrent writes that expect the same version', async () => {
    const files = open();
    const version = await files.write('count.md', '0');
    const tries = Array.from({ length: 20 }, (_, n) => files.write('count.md', `try ${n}`, { ifVersion: version }));
    const won = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
  });

  it('appends whole lines in order, whatever their size', async () => {
    const files = open();
    const large = 'x'.repeat(2_000_000);
    await files.append('sessions/a.jsonl', '{"n":1}');
    await files.append('sessions/a.jsonl', large);
    await files.append('sessions/a.jsonl', '{"n":3}');
    expect((await files.read('sessions/a.jsonl'))?.text === `{"n":1}\n${large}\n{"n":3}\n`).toBe(true);
    await expect(files.append('sessions/a.jsonl', 'two\nlines')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await files.delete('sessions/a.jsonl')).toBe(true);
    expect(await files.read('sessions/a.jsonl')).toBeUndefined();
  });

  it('keeps every line of 50 concurrent appends', async () => {
    const files = open();
    await Promise.all(Array.from({ length: 50 }, (_, n) => files.append('sessions/a.jsonl', JSON.stringify({ n }))));
    const lines = (await files.read('sessions/a.jsonl'))?.text.trimEnd().split('\n') ?? [];
    const numbers = lines.filter(Boolean).map((line) => JSON.parse(line).n);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('lists a folder, but not another one with the same prefix', async () => {
    const files = open();
    for (const path of ['a/1.md', 'a/b/2.md', 'ab/3.md', 'c.md']) await files.write(path, path);
    await files.append('a/log.jsonl', '1');
    expect(await files.list('a')).toEqual(['a/1.md', 'a/b/2.md', 'a/log.jsonl']);
    expect(await files.list('')).toEqual(['a/1.md', 'a/b/2.md', 'a/log.jsonl', 'ab/3.md', 'c.md']);
    expect(await files.list('none')).toEqual([]);
  });

  it.each(['', '..', '../a', 'a/../b', '/etc/passwd', 'a//b', './a', 'a\\b', 'C:/a', 'a\0b', 'x'.repeat(256)])(
    'refuses the path %j',
    async (path) => {
      const files = open();
      const refused = { code: 'INVALID_ARGUMENT' };
      await expect(files.read(path)).rejects.toMatchObject(refused);
      await expect(files.write(path, 'x')).rejects.toMatchObject(refused);
      await expect(files.append(path, 'x')).rejects.toMatchObject(refused);
      await expect(files.delete(path)).rejects.toMatchObject(refused);
      if (path !== '') await expect(files.list(path)).rejects.toMatchObject(refused);
    },
  );
});

it('a workspace in a store keeps no part of a long text that was replaced, deleted or refused', async () => {
  const store = new InMemoryStore({ name: 'workspace' });
  const files = recordWorkspace(store);
  const partsAfter = async (...changes: Promise<unknown>[]) => {
    await Promise.allSettled(changes);
    return (await store.within(['parts']).list()).items.length;
  };
  const long = 'x'.repeat(200_000);
  expect(await partsAfter(files.write('a.md', long))).toBe(2);
  expect(await partsAfter(files.write('a.md', 'short'))).toBe(0);
  expect(await partsAfter(files.write('a.md', long))).toBe(2);
  expect(await partsAfter(files.delete('a.md'))).toBe(0);
  expect(await partsAfter(files.append('a.jsonl', long))).toBe(2);
  expect(await partsAfter(files.delete('a.jsonl'))).toBe(0);
  const create = () => files.write('b.md', long, { ifVersion: null });
  expect(await partsAfter(create(), create())).toBe(2);
});
