import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { allItems } from '@keepsake/internal';
import { useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { namespaceFolder, sessionFolder } from '../src/disk/file-names.ts';
import { backup, checkDirectory, FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { Child } from './child.ts';
import { damageItem, logIn, sessionLog } from './damage.ts';
import { filesBelow } from './folder.ts';

const place = useDirectory();

const source = () => join(place.path, 'source');
const target = () => join(place.path, 'copies', 'target');

/** Two sessions and two namespaces, with an index, a list, and a compaction behind them. */
async function fill(directory = source()): Promise<void> {
  const options = { directory, durability: 'os' } as const;
  for (const sessionId of ['a*', 'A*']) {
    const session = new FileSession({ ...options, sessionId });
    for (const n of [1, 2, 3]) await session.addItems([{ n }, { sessionId }]);
    await session.popItem();
  }
  for (const namespace of [[], ['u', 'alice']]) {
    const store = new FileStore({ ...options, name: 'memory', namespace });
    for (const id of ['one', 'two', 'three']) await store.put({ id, content: `heron ${id} ${namespace}` });
    await store.delete('two');
    await store.compact();
  }
  await new FileSessionStore(options).list();
}

/** Everything that is stored in a directory. */
async function contents(directory: string) {
  const sessions = (await new FileSessionStore({ directory }).list()).items;
  const items = await Promise.all(
    sessions.map(({ sessionId }) => new FileSession({ directory, sessionId }).getItems()),
  );
  const store = new FileStore({ directory, name: 'memory' });
  const { items: records } = await store.list({ descendants: true });
  return { sessions, items, records };
}

async function problemsIn(directory: string): Promise<string[]> {
  const kinds: string[] = [];
  for await (const { problems } of checkDirectory({ directory })) kinds.push(...problems.map(({ kind }) => kind));
  return kinds;
}

describe('backup', () => {
  it('copies all sessions and namespaces, which can be read and changed', async () => {
    await fill();
    const before = await contents(source());
    const report = await backup({ directory: source(), target: target() });
    expect(report).toMatchObject({ sessions: 2, namespaces: 2, skipped: [] });
    expect(await contents(target())).toEqual(before);
    expect(await problemsIn(target())).toEqual([]);
    await fill(target());
    expect(await contents(source())).toEqual(before);
    expect(readdirSync(join(place.path, 'copies'))).toEqual(['target']);
  });

  it('has every change that was acknowledged before, and no change in part, while others write', async () => {
    const job = { directory: source(), durability: 'os', size: 5, length: 100 } as const;
    const writers = ['one', 'two'].slice(0, rounds(2));
    const children = writers.map((writer) => new Child('worker', { ...job, task: 'append', writer, times: 1e6 }));
    const records = new Child('worker', { ...job, task: 'putMany', writer: 'three', times: 1e6 });
    const compacting = new Child('worker', { ...job, task: 'followPlan', plan: 'compact', sessionId: 'compacts' });
    const all = [...children, records, compacting];
    try {
      await Promise.all(all.map((child) => child.line('ready')));
      for (const child of all) child.go();
      await Promise.all(all.map((child) => child.line('ok')));
      for (let n = 0; n < rounds(3); n++) {
        const acknowledged = children.map((child) => child.acknowledged.length);
        const putBefore = records.acknowledged.length;
        const copy = join(place.path, `copy ${n}`);
        expect((await backup({ directory: source(), target: copy })).skipped).toEqual([]);
        expect((await problemsIn(copy)).filter((kind) => kind !== 'damaged-lines')).toEqual([]);
        const session = new FileSession<{ writer: string; batch: number }>({ directory: copy, sessionId: 'chat' });
        const items = await session.getItems();
        for (const [index, writer] of writers.entries()) {
          const batches = items.filter((item) => item.writer === writer).map(({ batch }) => batch);
          expect(batches).toEqual(batches.map((_, at) => Math.floor(at / 5)));
          expect(batches.length % 5).toBe(0);
          expect(batches.length / 5).toBeGreaterThanOrEqual(acknowledged[index] as number);
        }
        const store = new FileStore({ directory: copy, name: 'memory' });
        let recordCount = 0;
        for await (const _ of allItems((page) => store.list({ ...page, limit: 1_000 }))) recordCount++;
        expect(recordCount % 5).toBe(0);
        expect(recordCount / 5).toBeGreaterThanOrEqual(putBefore);
        await session.addItems([{ writer: 'new', batch: 0 }]);
        expect(await session.getItems()).toEqual([...items, { writer: 'new', batch: 0 }]);
        await store.put({ content: 'written to the copy' });
      }
    } finally {
      for (const child of all) child.kill('SIGKILL');
      await Promise.all(all.map((child) => child.end));
    }
  });

  it('copies folders that are in another group or beside the groups, where they are', async () => {
    await fill();
    const folder = sessionFolder(source(), 'a*');
    const sessions = dirname(dirname(folder));
    const misplaced = [join(sessions, basename(folder)), join(sessions, '2a', basename(folder))];
    for (const copy of misplaced) cpSync(folder, copy, { recursive: true });
    const [linked, file] = [join(sessions, '3e'), join(sessions, '3f')];
    symlinkSync(dirname(folder), linked);
    writeFileSync(file, '');
    const { skipped } = await backup({ directory: source(), target: target() });
    expect(skipped.toSorted()).toEqual([linked, file]);
    for (const copy of misplaced) {
      const copied = logIn(join(target(), relative(source(), copy)));
      expect(readFileSync(copied)).toEqual(readFileSync(logIn(copy)));
    }
  });

  it('does not wait for a held lock, and the copy can be written at once', async () => {
    await fill();
    const folder = join(sessionLog(source(), 'a*'), '..');
    const [lock = ''] = readdirSync(folder).filter((name) => name.startsWith('lock-'));
    renameSync(join(folder, lock), join(folder, 'lock-1-held-0123456789ab-1-1-00ff'));
    await backup({ directory: source(), target: target() });
    const session = new FileSession({ directory: target(), sessionId: 'a*' });
    await session.addItems([{ n: 4 }]);
    expect(await session.getItems()).toHaveLength(6);
  });

  describe.each([
    {
      log: 'a session',
      folder: () => sessionFolder(source(), 'a*'),
      change: () =>
        new FileSession({ directory: source(), sessionId: 'a*', durability: 'os' }).addItems([{ n: 4 }, { n: 5 }]),
    },
    {
      log: 'a namespace',
      folder: () => namespaceFolder(source(), []),
      change: () =>
        new FileStore({ directory: source(), name: 'memory', durability: 'os' }).putMany([
          { content: 'grebe' },
          { content: 'egret' },
        ]),
    },
  ])('of $log that ends in the middle of a change', ({ folder, change }) => {
    it.each([
      { name: 'in a line', cut: (lastLine: number) => lastLine - 20 },
      { name: 'between lines', cut: (lastLine: number) => lastLine },
    ])('leaves the change out if it is being written, cut $name', async ({ cut }) => {
      await fill();
      const before = await contents(source());
      await change();
      cutOff(cut);
      const [lock = ''] = readdirSync(folder()).filter((name) => name.startsWith('lock-'));
      renameSync(join(folder(), lock), join(folder(), 'lock-1-held-0123456789ab-1-1-00ff'));
      await backup({ directory: source(), target: target() });
      expect(await contents(target())).toEqual(before);
      expect(await problemsIn(target())).toEqual([]);
    });

    it('copies it as it is if nobody is writing', async () => {
      await fill();
      await change();
      cutOff((lastLine) => lastLine - 20);
      await backup({ directory: source(), target: target() });
      expect(readFileSync(logIn(folder().replace(source(), target())))).toEqual(readFileSync(logIn(folder())));
      expect(await problemsIn(target())).toEqual(['cut-off']);
    });

    /** Removes bytes from the end of the log, given the length of its last line. */
    function cutOff(bytes: (lastLine: number) => number) {
      const log = logIn(folder());
      const text = readFileSync(log);
      const lastLine = text.length - 1 - text.lastIndexOf('\n', text.length - 2);
      truncateSync(log, text.length - bytes(lastLine));
    }
  });

  it('keeps damaged lines and what was set aside of them', async () => {
    await fill();
    damageItem(source(), 'a*', 1);
    const remains = join(sessionLog(source(), 'A*'), '..', 'damaged-0123456789ab');
    writeFileSync(remains, 'what is left');
    await backup({ directory: source(), target: target() });
    expect(await problemsIn(target())).toEqual(['damaged-lines']);
    expect(filesBelow(target()).map((path) => basename(path))).toContain('damaged-0123456789ab');
  });

  it('skips a folder that has lost its log, and tells which', async () => {
    await fill();
    const log = sessionLog(source(), 'a*');
    rmSync(log);
    const report = await backup({ directory: source(), target: target() });
    expect(report).toMatchObject({ sessions: 1, namespaces: 2, skipped: [join(log, '..')] });
    expect(await problemsIn(target())).toEqual([]);
  });

  it('refuses a target that exists, and leaves nothing after a failure', async () => {
    await fill();
    mkdirSync(target(), { recursive: true });
    await expect(backup({ directory: source(), target: target() })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readdirSync(target())).toEqual([]);
    const other = join(place.path, 'copies', 'other');
    rmSync(join(source(), 'memory'), { recursive: true });
    writeFileSync(join(source(), 'memory'), 'a file');
    await expect(backup({ directory: source(), target: other })).rejects.toMatchObject({ code: 'BACKEND' });
    expect(readdirSync(join(place.path, 'copies'))).toEqual(['target']);
  });

  it('does not follow a link out of the directory', async () => {
    await fill();
    const folder = join(sessionLog(source(), 'a*'), '..');
    renameSync(folder, join(place.path, 'elsewhere'));
    symlinkSync(join(place.path, 'elsewhere'), folder);
    expect(await backup({ directory: source(), target: target() })).toMatchObject({ sessions: 1, skipped: [folder] });
  });

  it('refuses invalid options and a directory that does not exist', async () => {
    for (const options of [
      {},
      { directory: source() },
      { directory: source(), target: ' ' },
      { directory: 7, target: target() },
    ]) {
      await expect(backup(options as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    const misspelt = backup({ directory: source(), targte: target() } as never);
    await expect(misspelt).rejects.toThrow(/target/);
    await expect(backup({ directory: source(), target: target() })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(readdirSync(place.path)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('gives the copy the permissions of the original', async () => {
    await fill();
    await backup({ directory: source(), target: target() });
    const modes = new Set(filesBelow(target()).map((path) => statSync(path).mode & 0o777));
    expect([...modes]).toEqual([0o600]);
    for (const name of ['', 'sessions', 'memory']) {
      expect(statSync(join(target(), name)).mode & 0o777).toBe(statSync(join(source(), name)).mode & 0o777);
    }
  });
});
