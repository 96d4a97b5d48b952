import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { heldName } from '@keepsake/internal/node';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryFolder, namespaceFolder, sessionFolder, sessionsFolder } from '../src/disk/file-names.ts';
import { checkDirectory, FileSession, FileSessionStore, FileStore, type FolderReport } from '../src/index.ts';
import { encodeLine } from '../src/log/log-line.ts';
import { damageItem, logIn, sessionLog } from './damage.ts';
import { rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

let places = 0;

/** Two sessions of three items, and two namespaces of two records. */
async function directoryOfTwo(): Promise<string> {
  const directory = join(root, String(places++));
  for (const sessionId of ['a*', 'A*']) {
    for (const n of [1, 2, 3]) await new FileSession({ directory, sessionId }).addItems([{ n }]);
  }
  for (const namespace of [[], ['u', 'alice']]) {
    const store = new FileStore({ directory, name: 'memory', namespace });
    for (const id of ['one', 'two']) await store.put({ id, content: `heron ${id}` });
  }
  return directory;
}

/** The paths of two groups that do not exist yet. */
function unusedGroups(parent: string): string[] {
  const names = new Set(readdirSync(parent));
  return ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09']
    .filter((name) => !names.has(name))
    .slice(0, 2)
    .map((name) => join(parent, name));
}

async function check(directory: string, repair = false): Promise<FolderReport[]> {
  const reports: FolderReport[] = [];
  for await (const report of checkDirectory({ directory, repair })) reports.push(report);
  return reports;
}

const problems = (reports: readonly FolderReport[]) =>
  reports.flatMap(({ problems }) => problems.map(({ kind, repairable, repaired }) => ({ kind, repairable, repaired })));

describe('checkDirectory', () => {
  it('reports no problems in healthy folders, and counts their entries', async () => {
    const directory = await directoryOfTwo();
    const reports = await check(directory, true);
    expect(problems(reports)).toEqual([]);
    expect(reports.map(({ kind, of, entries }) => ({ kind, of, entries }))).toEqual(
      expect.arrayContaining([
        { kind: 'session', of: 'a*', entries: 3 },
        { kind: 'session', of: 'A*', entries: 3 },
        { kind: 'memory', of: [], entries: 2 },
        { kind: 'memory', of: ['u', 'alice'], entries: 2 },
      ]),
    );
    expect(reports).toHaveLength(4);
    for (const { bytes, folder } of reports) {
      const sizes = readdirSync(folder).map((name) => readFileSync(join(folder, name)).length);
      expect(bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    }
  });

  it('reports nothing for a missing directory, and does not create it', async () => {
    const directory = join(root, 'absent');
    expect(await check(directory, true)).toEqual([]);
    expect(readdirSync(root)).not.toContain('absent');
  });

  it('does not report the remains of a crash as a problem', async () => {
    const directory = await directoryOfTwo();
    appendFileSync(sessionLog(directory, 'a*'), '12345678 99 {"first"');
    const folder = sessionFolder(directory, 'a*');
    const lock = readdirSync(folder).find((name) => name.startsWith('lock-')) as string;
    // No process has this number.
    renameSync(join(folder, lock), join(folder, `lock-1-${heldName().replace(/^(held-[0-9a-f]+)-\d+/, '$1-4194999')}`));
    writeFileSync(join(folder, '.tmp-0123'), 'half a log');
    expect(problems(await check(directory))).toEqual([]);
  });

  it('finds damaged lines, and repairs them by moving their remains to a file beside the log', async () => {
    const directory = await directoryOfTwo();
    damageItem(directory, 'a*', 1);
    const path = logIn(namespaceFolder(directory, ['u', 'alice']));
    writeFileSync(path, readFileSync(path, 'latin1').replace('heron one', 'h#ron one'), 'latin1');
    const open = new FileSession({ directory, sessionId: 'a*', onCorrupt() {} });
    expect(await open.getItems()).toEqual([{ n: 1 }, { n: 3 }]);

    const damaged = { kind: 'damaged-lines', repairable: true };
    const before = rawScan(directory);
    expect(problems(await check(directory))).toEqual([1, 2].map(() => ({ ...damaged, repaired: false })));
    expect(rawScan(directory)).toEqual(before);
    const repaired = await check(directory, true);
    expect(problems(repaired)).toEqual([1, 2].map(() => ({ ...damaged, repaired: true })));
    expect(repaired.map(({ entries }) => entries).sort()).toEqual([1, 2, 2, 3]);
    expect(problems(await check(directory))).toEqual([]);
    expect(rawScan(directory)).toContain('h#ron one');

    expect(await open.getItems()).toEqual([{ n: 1 }, { n: 3 }]);
    expect(await open.popItem()).toEqual({ n: 3 });
    expect(await open.popItem()).toEqual({ n: 1 });
    expect(await new FileSession({ directory, sessionId: 'A*' }).getItems()).toHaveLength(3);
    const alice = new FileStore({ directory, name: 'memory', namespace: ['u', 'alice'] });
    expect((await alice.search('heron')).map(({ id }) => id)).toEqual(['two']);
    await open.clearSession();
    await alice.clear();
    expect(rawScan(directory)).not.toContain('h#ron');
  });

  it('finds a folder without a lock file, and creates one', async () => {
    const directory = await directoryOfTwo();
    const folder = sessionFolder(directory, 'a*');
    for (const name of readdirSync(folder)) if (name.startsWith('lock-')) rmSync(join(folder, name));
    expect(problems(await check(directory))).toEqual([{ kind: 'no-lock', repairable: true, repaired: false }]);
    expect(problems(await check(directory, true))).toEqual([{ kind: 'no-lock', repairable: true, repaired: true }]);
    expect(problems(await check(directory))).toEqual([]);
    const session = new FileSession({ directory, sessionId: 'a*' });
    await session.addItems([{ n: 4 }]);
    expect(await session.getItems()).toHaveLength(4);
  });

  it('finishes interrupted removals', async () => {
    const directory = await directoryOfTwo();
    const scratch = join(memoryFolder(directory), '.tmp');
    mkdirSync(scratch, { recursive: true });
    renameSync(namespaceFolder(directory, []), join(scratch, 'discarded-0123456789'));
    expect(await check(directory)).toContainEqual(
      expect.objectContaining({ kind: 'memory', problems: [expect.objectContaining({ kind: 'removal' })] }),
    );
    expect(rawScan(directory)).toContain('heron');
    expect(problems(await check(directory, true))).toEqual([{ kind: 'removal', repairable: true, repaired: true }]);
    expect(readdirSync(scratch)).toEqual([]);
    expect(problems(await check(directory))).toEqual([]);
  });

  it('reports problems that only a person can repair, leaves those folders unchanged, and checks the others', async () => {
    const directory = await directoryOfTwo();
    const sessions = sessionsFolder(directory);
    const folder = sessionFolder(directory, 'a*');
    const other = (id: string) => sessionFolder(directory, id);
    const log = readFileSync(logIn(folder), 'latin1');
    const make = (id: string, content: string) => {
      mkdirSync(other(id), { recursive: true });
      writeFileSync(join(other(id), 'lock-1-free'), '');
      if (content !== '') writeFileSync(join(other(id), 'log-1-1-abc.jsonl'), content, 'latin1');
    };
    make('copy', log);
    make('newer', encodeLine(JSON.stringify({ keepsake: 'session', version: 2, of: 'newer' })));
    make('headless', log.slice(1));
    make('empty', '');
    mkdirSync(dirname(other('link')), { recursive: true });
    symlinkSync(folder, other('link'));
    mkdirSync(dirname(other('file')), { recursive: true });
    writeFileSync(other('file'), 'no folder');
    mkdirSync(join(sessions, 'not-ours'));
    const [linked, unreadable] = unusedGroups(sessions) as [string, string];
    symlinkSync(dirname(folder), linked);
    writeFileSync(unreadable, 'no folder');
    const misplaced = join(dirname(other('newer')), basename(folder));
    const ungrouped = join(sessions, basename(folder));
    for (const copy of [misplaced, ungrouped]) cpSync(folder, copy, { recursive: true });

    for (const repair of [false, true]) {
      const before = rawScan(directory);
      const reports = await check(directory, repair);
      expect(rawScan(directory)).toEqual(before);
      const found = new Map(reports.map(({ folder, problems }) => [folder, problems]));
      const kinds = (id: string) => found.get(other(id))?.map(({ kind }) => kind);
      expect(kinds('copy')).toEqual(['wrong-folder']);
      expect(kinds('headless')).toEqual(['no-header']);
      expect(kinds('empty')).toEqual(['no-log']);
      expect(kinds('link')).toEqual(['link']);
      expect(kinds('file')).toEqual(['unreadable']);
      expect(found.get(linked)).toMatchObject([{ kind: 'link' }]);
      expect(found.get(unreadable)).toMatchObject([{ kind: 'unreadable' }]);
      const where = expect.stringContaining(relative(directory, folder));
      for (const copy of [misplaced, ungrouped]) {
        expect(found.get(copy)).toMatchObject([{ kind: 'wrong-folder', message: where }]);
      }
      expect(problems(reports).every(({ repairable, repaired }) => !repairable && !repaired)).toBe(true);
      expect(reports.filter(({ problems }) => problems.length === 0)).toHaveLength(4);
      expect(kinds('newer')).toEqual(['newer-version']);
    }
    expect((await new FileSessionStore({ directory: await directoryOfTwo() }).list()).items).toHaveLength(2);
  });

  it('refuses invalid directories', async () => {
    await expect(check('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    writeFileSync(join(root, 'file'), '');
    await expect(check(join(root, 'file'))).rejects.toMatchObject({ code: 'BACKEND' });
  });
});

describe('checkDirectory and logs that are cut off', () => {
  it('reports a log that ends in the middle of a line, and sets the remains aside', async () => {
    const directory = await directoryOfTwo();
    for (const folder of [sessionFolder(directory, 'a*'), namespaceFolder(directory, ['u', 'alice'])]) {
      const path = logIn(folder);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.subarray(0, bytes.length - 5));
    }

    const open = { kind: 'cut-off', repairable: true, repaired: false };
    expect(problems(await check(directory))).toEqual([open, open]);
    const mended = await check(directory, true);
    expect(problems(mended)).toEqual([
      { ...open, repaired: true },
      { ...open, repaired: true },
    ]);
    expect(problems(await check(directory))).toEqual([]);
    expect(await new FileSession({ directory, sessionId: 'a*' }).getItems()).toEqual([{ n: 1 }, { n: 2 }]);
    expect(rawScan(namespaceFolder(directory, ['u', 'alice']))).toContain('heron two');
  });

  it('reports a log that ends in the middle of a batch', async () => {
    const directory = join(root, String(places++));
    const session = new FileSession({ directory, sessionId: 'a' });
    await session.addItems([{ n: 1 }]);
    await session.addItems([{ n: 2 }, { n: 3 }]);
    const path = logIn(sessionFolder(directory, 'a'));
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));

    const reports = await check(directory);
    expect(problems(reports)).toEqual([{ kind: 'cut-off', repairable: true, repaired: false }]);
    expect(reports[0]?.entries).toBe(1);
  });

  it('reports a log that lost whole changes, if an index has read them', async () => {
    const directory = join(root, String(places++));
    const store = new FileStore({ directory, name: 'memory', durability: 'os' });
    await store.put({ id: 'first', content: 'first' });
    await store.putMany(Array.from({ length: 4_000 }, (_, n) => ({ id: `${n}`, content: `heron ${n}`.repeat(20) })));
    await store.close();
    const path = logIn(namespaceFolder(directory, []));
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.split('\n').slice(0, 2).join('\n').concat('\n'));

    expect(problems(await check(directory))).toEqual([{ kind: 'cut-off', repairable: true, repaired: false }]);
    await check(directory, true);
    expect(problems(await check(directory))).toEqual([]);
  });

  it('reports nothing while a process writes', async () => {
    const directory = join(root, String(places++));
    const store = new FileStore({ directory, name: 'memory', durability: 'os' });
    let isDone = false;
    const writing = (async () => {
      for (let n = 0; n < 200; n++) await store.put({ id: `${n}`, content: `heron ${n}` });
      isDone = true;
    })();
    while (!isDone) expect(problems(await check(directory))).toEqual([]);
    await writing;
  });
});
