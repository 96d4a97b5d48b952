import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { afterAll, describe, expect, it } from 'vitest';
import { watchCalls } from './children/watch-calls.ts';
import { sessionLog } from './damage.ts';
import { filesBelow, makeOld, rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const read: string[] = [];
let onWrite = () => {};
const unwatch = watchCalls(({ name }) => {
  if (name === 'openSync') read.push(name);
  if (name === 'writeSync') onWrite();
  return undefined;
});
afterAll(unwatch);
// Imported after the calls are watched.
const { FileSession, FileSessionStore } = await import('../src/index.ts');
const { sessionFolder, sessionsFolder } = await import('../src/disk/file-names.ts');
const { checkFileOptions } = await import('../src/file-options.ts');
const { forgetFolder } = await import('../src/file-session-store.ts');
const { SessionList } = await import('../src/listing/session-list.ts');
const { reportOnce } = await import('../src/log/corruption.ts');
const { encodeLine } = await import('../src/log/log-line.ts');

const place = useDirectory();

/** How many folders must be read before the list is saved, for users 1,000. */
const MANY = rounds(1_000, 60);

function openStore(onCorrupt: (report: { from: number; to: number }) => void = () => {}) {
  return new FileSessionStore({ directory: place.path, durability: 'os', onCorrupt });
}

async function add(...ids: string[]): Promise<void> {
  for (const sessionId of ids) {
    await new FileSession({ directory: place.path, durability: 'os', sessionId }).addItems([{ sessionId }]);
  }
}

const index = () => join(sessionsFolder(place.path), '.index');

const age = () => makeOld(sessionsFolder(place.path));

async function idsOf(store: InstanceType<typeof FileSessionStore>): Promise<string[]> {
  return (await store.list({ limit: 1_000 })).items.map(({ sessionId }) => sessionId);
}

const template = temporaryDirectory();
afterAll(template.remove);

/** The list of a store that is saved after `MANY` folders were read. Returns the ids. */
function openList(): () => Promise<string[]> {
  const options = checkFileOptions({ directory: place.path, durability: 'os' });
  const list = new SessionList(place.path, options, reportOnce(options.onCorrupt), MANY);
  return async () => {
    const found = await list.read({ after: undefined, idPrefix: '', segment: undefined, count: Infinity });
    return found.map(({ sessionId }) => sessionId);
  };
}

/** Many sessions, which take long to create. */
async function addMany(): Promise<string[]> {
  const ids = Array.from({ length: MANY }, (_, n) => `s${n}`);
  if (readdirSync(template.path).length === 0) {
    await add(...ids);
    cpSync(place.path, template.path, { recursive: true });
  } else {
    cpSync(template.path, place.path, { recursive: true });
    // Files in it get its permissions, which are not copied.
    for (const folder of [sessionsFolder(place.path), index()]) chmodSync(folder, 0o700);
  }
  age();
  return ids;
}

/** Many sessions, and a saved list of them. */
async function manySessions(): Promise<string[]> {
  const ids = await addMany();
  const list = openList();
  for (let n = 0; n < 2; n++) await list();
  expect(rawScan(index()).match(/"s\d+",\d{13}/g)).toHaveLength(MANY);
  return ids.reverse();
}

const GONE = `s${MANY - 3}`;

describe('a list of sessions', () => {
  it('reads only the sessions that have changed since the list before', async () => {
    await add(...Array.from({ length: 50 }, (_, n) => `s${n}`));
    age();
    const store = openStore();
    for (let n = 0; n < 2; n++) await store.list();
    read.length = 0;
    await store.list();
    const alone = read.length;
    await add('s7', 's9');
    read.length = 0;
    expect((await idsOf(store)).slice(0, 3)).toEqual(['s9', 's7', 's49']);
    expect(read.length).toBeLessThan(alone + 20);
    expect(alone).toBe(1);
  });

  it('is read from the saved list by the next store, but for what has changed since', async () => {
    const ids = await manySessions();
    await add('s3', 'new');
    await openStore().delete('s5');
    read.length = 0;
    const [newest, next, ...others] = await openList()();
    expect([newest, next]).toEqual(['new', 's3']);
    expect(others).toEqual(ids.filter((id) => id !== 's3' && id !== 's5'));
    // One for each of 64 groups. To read all sessions takes more than one for each.
    expect(read.length).toBeLessThan(94);
  });

  it('is right whatever becomes of its files', async () => {
    const store = openStore();
    let n = 0;
    for (const [name, change] of Object.entries<(path: string) => void>({
      deleted: (path) => rmSync(path, { force: true }),
      emptied: (path) => writeFileSync(path, ''),
      garbled: (path) => writeFileSync(path, 'x'.repeat(500)),
      'ended by a part of an entry': (path) => writeFileSync(path, '\na-0123', { flag: 'a' }),
      'larger than its limit': (path) => writeFileSync(path, Buffer.alloc(1024 * 1024 + 1, '\n'), { flag: 'a' }),
    })) {
      await add(`a ${n}`, `b ${n}`);
      await idsOf(store);
      change(join(index(), 'changes'));
      await add(`a ${n}`);
      await store.delete(`b ${n}`);
      expect(await idsOf(store), name).toEqual(await idsOf(openStore()));
      expect((await store.list()).items[0]).toMatchObject({ sessionId: `a ${n}`, itemCount: 2 });
      n++;
    }
    expect(statSync(join(index(), 'changes')).size).toBeLessThan(1024 * 1024);
  });

  it('is right with a damaged saved list, and with one of another version', async () => {
    const ids = await manySessions();
    const saved = filesBelow(index()).map((path) => ({ path, bytes: readFileSync(path) }));
    const flip = (bytes: Buffer) => bytes.map((byte, at) => (at % 150 === 149 ? byte ^ 4 : byte));
    const other = (bytes: Buffer) =>
      Buffer.from(bytes.toString('latin1').replace(/^.*\n/, encodeLine('{"keepsake":"group","version":2}')), 'latin1');
    const cut = (bytes: Buffer) => bytes.subarray(0, 200);
    for (const damage of [flip, other, cut, () => Buffer.alloc(5_000)]) {
      for (const { path, bytes } of saved) writeFileSync(path, damage(bytes));
      expect(await openList()()).toEqual(ids);
    }
  });

  it('has a session that was moved here or away by hand', async () => {
    await add('a', 'b', 'c');
    const store = openStore();
    await store.list();
    const folder = sessionFolder(place.path, 'b');
    const elsewhere = join(place.path, basename(folder));
    renameSync(folder, elsewhere);
    expect(await idsOf(store)).toEqual(['c', 'a']);
    // While sessions of others come and go.
    await add('d');
    await openStore().delete('a');
    renameSync(elsewhere, folder);
    expect(await idsOf(store)).toEqual(['d', 'c', 'b']);
  });

  it('has a session whose folder was replaced by a copy of it from before', async () => {
    await add('a', 'b');
    const folder = sessionFolder(place.path, 'a');
    const copy = join(place.path, 'copy');
    cpSync(folder, copy, { recursive: true });
    await add('a');
    age();
    const store = openStore();
    for (let n = 0; n < 2; n++) expect((await store.list({ idPrefix: 'a' })).items[0]?.itemCount).toBe(2);
    rmSync(folder, { recursive: true });
    renameSync(copy, folder);
    expect((await store.list({ idPrefix: 'a' })).items[0]?.itemCount).toBe(1);
  });

  it.each([
    ['in a new folder', (folder: string) => rmSync(folder, { recursive: true })],
    ['in the same files', () => {}],
  ])('has a session that nothing had identified, after it was restored %s', async (_, prepare) => {
    await addMany();
    const folder = sessionFolder(place.path, GONE);
    const copy = join(place.path, 'copy');
    cpSync(folder, copy, { recursive: true });
    for (const file of filesBelow(folder))
      writeFileSync(file, readFileSync(file, 'latin1').replaceAll('"', '#'), 'latin1');
    rmSync(index(), { recursive: true });
    age();
    const [list, later] = [openList(), openList()];
    const store = openStore(() => {});
    // The second of them reads the saved list.
    for (const one of [list, later, () => idsOf(store)]) expect(await one()).not.toContain(GONE);
    expect(await store.unidentified()).toBe(1);
    prepare(folder);
    cpSync(copy, folder, { recursive: true });
    for (const one of [list, later, openList(), () => idsOf(store)]) expect(await one()).toContain(GONE);
    for (const one of [store, openStore()]) expect(await one.unidentified()).toBe(0);
  });

  it('has a session that was written again while another folder has its hash', async () => {
    await add('a', 'b');
    const folder = sessionFolder(place.path, 'a');
    const damaged = filesBelow(folder);
    for (const file of damaged) writeFileSync(file, readFileSync(file, 'latin1').replaceAll('"', '#'), 'latin1');
    rmSync(index(), { recursive: true });
    const store = openStore(() => {});
    for (let n = 0; n < 2; n++) expect(await idsOf(store)).toEqual(['b']);
    const copy = join(dirname(folder), `damaged-${basename(folder)}`);
    cpSync(folder, copy, { recursive: true });
    expect(await idsOf(store)).toEqual(['b']);
    await new FileSession({ directory: place.path, sessionId: 'a', onCorrupt() {} }).addItems([{ a: 2 }]);
    rmSync(copy, { recursive: true });
    expect((await idsOf(store)).sort()).toEqual(['a', 'b']);
  });

  it('has a session that has lost its log, so that it can be erased', async () => {
    await add('a', 'b');
    rmSync(sessionLog(place.path, 'a'));
    const store = openStore();
    expect((await idsOf(store)).sort()).toEqual(['a', 'b']);
    expect(await store.delete('a')).toBe(true);
    expect(await idsOf(store)).toEqual(['b']);
    expect(filesBelow(sessionsFolder(place.path)).filter((path) => path.includes('/a-'))).toEqual([]);
  });

  it.each([
    ['whose first write is torn', (log: string) => truncateSync(log, statSync(log).size - 3)],
    ['whose log is empty', (log: string) => truncateSync(log, 0)],
    [
      'with remains of damaged lines beside a log without a write',
      (log: string) => {
        truncateSync(log, readFileSync(log).indexOf('\n') + 1);
        writeFileSync(join(dirname(log), 'damaged-00'), 'a');
      },
    ],
    [
      'that was created long ago and never written',
      (log: string) => {
        truncateSync(log, readFileSync(log).indexOf('\n') + 1);
        makeOld(dirname(log));
      },
    ],
  ])('has a session %s, so that it can be erased', async (_, damage) => {
    await add('a', 'b');
    damage(sessionLog(place.path, 'a'));
    const store = openStore(() => {});
    const { items } = await store.list();
    expect(items.map(({ sessionId, itemCount }) => [sessionId, itemCount]).sort()).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect(await store.unidentified()).toBe(0);
    expect(await store.delete('a')).toBe(true);
    expect(await idsOf(store)).toEqual(['b']);
  });

  it('has no session that is just being created', async () => {
    await add('a', 'b');
    const log = sessionLog(place.path, 'a');
    truncateSync(log, readFileSync(log).indexOf('\n') + 1);
    const now = new Date();
    utimesSync(dirname(log), now, now);
    const store = openStore();
    expect(await idsOf(store)).toEqual(['b']);
    expect(await store.unidentified()).toBe(0);
    await add('a');
    expect(await idsOf(store)).toEqual(['a', 'b']);
  });

  it('passes over a file with the name of a group', async () => {
    await add('a');
    const name = ['00', '01'].find((one) => one !== basename(dirname(sessionFolder(place.path, 'a')))) as string;
    writeFileSync(join(sessionsFolder(place.path), name), '');
    expect(await idsOf(openStore())).toEqual(['a']);
    expect(await openStore().unidentified()).toBe(0);
    const store = openStore();
    await store.list();
    const group = dirname(sessionFolder(place.path, 'a'));
    renameSync(group, `${group}.away`);
    writeFileSync(group, '');
    expect(await idsOf(store)).toEqual([]);
  });

  it('has a session of which nothing is intact any more, by the name of its folder, so that it can be erased', async () => {
    await add('a', 'b');
    const before = openStore(() => {});
    expect(await idsOf(before)).toEqual(['b', 'a']);
    const folder = sessionFolder(place.path, 'a');
    for (const file of filesBelow(folder)) writeFileSync(file, 'damage of alice');
    for (const store of [before, openStore(() => {})]) {
      const { items } = await store.list();
      expect(items.map(({ sessionId, itemCount }) => [sessionId, itemCount]).sort()).toEqual([
        ['a', 0],
        ['b', 1],
      ]);
      expect((await openStore(() => {}).list({ segment: 'a' })).items).toMatchObject([
        { sessionId: 'a', itemCount: 0 },
      ]);
      expect(await store.unidentified()).toBe(0);
    }
    expect(await openStore(() => {}).delete('a')).toBe(true);
    expect(await idsOf(before)).toEqual(['b']);
    expect(rawScan(place.path)).not.toContain('alice');
  });

  it('has all changes after a list that could not read a group', async () => {
    await add('a', 'b');
    const store = openStore();
    for (let n = 0; n < 3; n++) await store.list();
    const group = dirname(sessionFolder(place.path, 'b'));
    await add('a');
    // It counts as touched, too.
    renameSync(group, `${group}.away`);
    symlinkSync(`${group}.away`, group);
    await expect(store.list()).rejects.toMatchObject({ code: 'CORRUPT' });
    rmSync(group);
    renameSync(`${group}.away`, group);
    expect((await store.list()).items.map(({ sessionId, itemCount }) => [sessionId, itemCount])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('has a session that was created again before another process had forgotten it', async () => {
    await add('other');
    const store = openStore();
    await store.list();
    await add('again');
    await openStore().delete('again');
    await add('again');
    // The end of the deletion, late.
    forgetFolder(sessionFolder(place.path, 'again'));
    await add('new');
    expect(await idsOf(store)).toEqual(['new', 'again', 'other']);
  });

  it('is complete after a list that failed', async () => {
    await add('a', 'b');
    const store = openStore();
    await store.list();
    await add('a');
    const log = sessionLog(place.path, 'a');
    renameSync(log, `${log}.away`);
    mkdirSync(log);
    await expect(store.list()).rejects.toMatchObject({ code: 'CORRUPT' });
    rmSync(log, { recursive: true });
    renameSync(`${log}.away`, log);
    expect((await store.list()).items.map(({ sessionId, itemCount }) => [sessionId, itemCount])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('creates no folder in a directory without sessions', async () => {
    expect(await openStore().list()).toEqual({ items: [] });
    expect(readdirSync(place.path)).toEqual([]);
  });

  it('has files for this user only, which tell nothing of a session that was deleted', async () => {
    await manySessions();
    const list = openList();
    await add('of alice', 'of bob');
    await list();
    expect(await openStore().delete('of alice')).toBe(true);
    expect(await openStore().delete(GONE)).toBe(true);
    expect(rawScan(place.path)).not.toMatch(new RegExp(`of.alice|${GONE}`));
    expect(rawScan(place.path)).toMatch(/of.bob/);
    const modes = filesBelow(index()).map((path) => statSync(path).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(statSync(index()).mode & 0o777).toBe(0o700);
    await list();
    await openList()();
    expect(rawScan(place.path)).not.toMatch(new RegExp(`of.alice|${GONE}`));
  });

  it('does not tell of a session that another process removes while the list is saved', async () => {
    await addMany();
    onWrite = () => {
      onWrite = () => {};
      const folder = sessionFolder(place.path, GONE);
      rmSync(folder, { recursive: true });
      forgetFolder(folder);
    };
    await openList()();
    expect(readdirSync(index())).not.toContain('changes');
    expect(rawScan(place.path)).not.toMatch(new RegExp(GONE));
    expect(rawScan(place.path)).toMatch(new RegExp(`s${MANY - 2}`));
  });
});

describe('a damaged session', () => {
  it('without its first line is reported once and listed', async () => {
    await add('whole', 'damaged');
    const path = sessionLog(place.path, 'damaged');
    writeFileSync(path, readFileSync(path, 'latin1').replace('"of"', '"o#"'), 'latin1');
    const reports: object[] = [];
    const store = openStore((report) => reports.push(report));
    for (const list of [store, store]) expect(await idsOf(list)).toEqual(['damaged', 'whole']);
    expect(reports).toMatchObject([{ from: 0, to: 0 }]);
    expect(await store.delete('damaged')).toBe(true);
    expect(await idsOf(openStore())).toEqual(['whole']);
  });

  it('without any intact line is reported and listed, with the time of its folder', async () => {
    await add('whole', 'damaged');
    const path = sessionLog(place.path, 'damaged');
    writeFileSync(path, readFileSync(path, 'latin1').replaceAll('"', '#'), 'latin1');
    const reports: object[] = [];
    const { items } = await openStore((report) => reports.push(report)).list();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(items).toContainEqual({ sessionId: 'damaged', itemCount: 0, createdAt: time, updatedAt: time });
    expect(items).toHaveLength(2);
    expect(reports).not.toEqual([]);
    expect(await openStore().delete('damaged')).toBe(true);
    expect(rawScan(place.path)).not.toContain('damaged');
  });

  it('with an impossible time is reported once and listed', async () => {
    await add('whole', 'damaged');
    const path = sessionLog(place.path, 'damaged');
    const lines = readFileSync(path, 'utf8').split('\n');
    const json = (lines[1] as string).split(' ').slice(2).join(' ');
    lines[1] = encodeLine(json.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]*Z/g, 'yesterday')).trimEnd();
    writeFileSync(path, lines.join('\n'));
    const reports: object[] = [];
    const store = openStore((report) => reports.push(report));
    for (const list of [store, store]) expect((await idsOf(list)).sort()).toEqual(['damaged', 'whole']);
    expect(reports).toMatchObject([{ from: 1, to: 1 }]);
  });
});
