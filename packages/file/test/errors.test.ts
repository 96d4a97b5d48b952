import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMemoryError, type MemoryError } from '@keepsake/core';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FileOptions, FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { Log } from '../src/log/log.ts';
import { damageItem } from './damage.ts';
import { filesBelow } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

function errorOf(use: () => unknown): MemoryError {
  try {
    use();
  } catch (error) {
    if (isMemoryError(error)) return error;
    throw error;
  }
  throw new Error('The call was not refused.');
}

const uses = (options: FileOptions) => [
  () => new FileSession(options),
  () => new FileSessionStore(options),
  () => new FileStore({ name: 'memory', ...options }),
];

describe('options', () => {
  it.each([
    ['no directory', {}, 'directory'],
    ['an empty directory', { directory: '' }, 'directory'],
    ['a directory that is not a string', { directory: 7 }, 'directory'],
    ['a directory with a NUL', { directory: 'a\0b' }, 'directory'],
    ['an unknown durability', { directory: root, durability: 'fsync' }, "'sync' or 'os'"],
    ['a durability that is null', { directory: root, durability: null }, "'sync' or 'os'"],
    ['an onCorrupt that is not a function', { directory: root, onCorrupt: 'warn' }, 'onCorrupt'],
  ])('with %s are refused, and the error names the option', (_, options, words) => {
    for (const use of uses(options as FileOptions)) {
      expect(errorOf(use)).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(words) });
    }
  });

  it('are required', () => {
    const none = undefined as unknown as FileOptions;
    expect(errorOf(() => new FileSession(none)).code).toBe('INVALID_ARGUMENT');
    expect(errorOf(() => new FileSessionStore(none)).code).toBe('INVALID_ARGUMENT');
    expect(errorOf(() => new FileStore(none as never)).code).toBe('INVALID_ARGUMENT');
  });

  it.each([
    ['empty', '', 'is empty'],
    ['too long', 'x'.repeat(513), 'longer than 512'],
    ['with a NUL', 'a\0b', 'NUL'],
    ['with a lone surrogate', 'a\ud800', 'surrogate'],
    ['not a string', 7, 'not a string'],
  ])('with a session id that is %s are refused', async (_, id, words) => {
    const sessionId = id as string;
    const refusal = { code: 'INVALID_ARGUMENT', message: expect.stringContaining(words) };
    const directory = join(root, 'ids');
    expect(errorOf(() => new FileSession({ directory, sessionId }))).toMatchObject(refusal);
    const store = new FileSessionStore({ directory });
    expect(errorOf(() => store.open(sessionId))).toMatchObject(refusal);
    await expect(store.delete(sessionId)).rejects.toMatchObject(refusal);
  });

  it('are accepted without touching the disk before the first change', async () => {
    const directory = join(root, 'untouched');
    for (const use of uses({ directory })) use();
    const session = new FileSession({ directory });
    expect(await session.getItems()).toEqual([]);
    expect(await session.popItem()).toBeUndefined();
    await session.clearSession();
    await session.addItems([]);
    await session.replaceHistoryWithCompaction([]);
    const sessions = new FileSessionStore({ directory });
    expect(await sessions.list()).toEqual({ items: [] });
    expect(await sessions.delete('chat')).toBe(false);
    const store = new FileStore({ directory, name: 'memory' });
    expect(await store.search('heron')).toEqual([]);
    expect(await store.delete('a')).toBe(false);
    expect(await store.clear({ descendants: true })).toBe(0);
    expect(await store.namespaces()).toEqual({ items: [] });
    expect(() => filesBelow(directory)).toThrow('ENOENT');
  });
});

describe('a directory that cannot be used', () => {
  it.each(['in its place', 'above it', 'in the place of the sessions'])(
    'because there is a file %s is an error with its cause',
    async (where) => {
      const top = join(root, `file ${where}`);
      mkdirSync(top);
      const file = where === 'in the place of the sessions' ? join(top, 'sessions') : join(top, 'file');
      writeFileSync(file, 'mine');
      const directory = where === 'in its place' ? file : where === 'above it' ? join(file, 'below') : top;
      const session = new FileSession({ directory, sessionId: 'chat' });
      const sentinel = [{ text: 'sentinel' }];
      for (const use of [() => session.getItems(), () => session.addItems(sentinel), () => session.popItem()]) {
        const error: MemoryError = await use().then(
          () => expect.fail('The call was not refused.'),
          (reason) => reason,
        );
        expect(error).toMatchObject({ code: 'BACKEND', cause: { code: 'ENOTDIR' } });
        expect(error.message).toContain('Part of the path to the directory is a file');
        expect(error.message).not.toContain('sentinel');
      }
      await expect(new FileSessionStore({ directory }).list()).rejects.toMatchObject({ code: 'BACKEND' });
      expect(filesBelow(top)).toEqual([file]);
    },
  );
});

describe('a file of the list that cannot be opened', () => {
  it('makes the removal of a session fail with its cause, and the next removal complete it', async () => {
    const directory = join(root, 'unwritable');
    await new FileSession({ directory, sessionId: 'chat' }).addItems([{ text: 'sentinel' }]);
    const path = join(directory, 'sessions', '.index', 'changes');
    // Between the two steps of the removal, because the first one replaces it.
    const fail = vi.spyOn(Log.prototype, 'remove').mockImplementation(async function (this: Log<never>, end) {
      fail.mockRestore();
      const isRemoved = await this.remove(end);
      symlinkSync(directory, path);
      return isRemoved;
    });
    const store = new FileSessionStore({ directory });
    await expect(store.delete('chat')).rejects.toMatchObject({ code: 'BACKEND', cause: { code: 'ELOOP' } });
    rmSync(path);
    expect(await store.delete('chat')).toBe(false);
    expect(await store.list()).toEqual({ items: [] });
  });
});

describe('damage', () => {
  it('is by default reported as one console warning without content', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const directory = join(root, 'warned');
    await new FileSession({ directory, sessionId: 'chat' }).addItems([{ text: 'sentinel' }, { text: 'sentinel' }]);
    damageItem(directory, 'chat', 0);
    const session = new FileSession({ directory, sessionId: 'chat' });
    await session.getItems();
    await session.getItems();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toMatch(/^Keepsake: line 1 is damaged in the log in .*All other lines are read/);
    expect(warn.mock.calls[0]?.[0]).not.toContain('sentinel');
    const error = await session.replaceHistoryWithCompaction([]).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'CORRUPT', message: expect.stringContaining('nothing was changed') });
    expect(error.message).not.toContain('sentinel');
  });
});
