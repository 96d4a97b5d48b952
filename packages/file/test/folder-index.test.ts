import {
  cpSync,
  mkdirSync,
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
import { setTimeout as sleep } from 'node:timers/promises';
import { useDirectory } from '@keepsake/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { watchCalls } from './children/watch-calls.ts';
import { filesBelow, rawScan } from './folder.ts';

let opened = 0;
let onWrite = () => {};
let fault: Fault | undefined;
const unwatch = watchCalls(({ name }) => {
  if (name === 'openSync') opened++;
  if (name === 'writeSync') onWrite();
  return fault !== undefined && name === fault.name ? { code: fault.code } : undefined;
});
afterAll(unwatch);
// Imported after the calls are watched.
const { FileSessionStore, FileStore } = await import('../src/index.ts');
const { memoryFolder, namespaceFolder, sessionFolder, sessionsFolder } = await import('../src/disk/file-names.ts');
const { forgetFolder } = await import('../src/file-session-store.ts');
const { isPast } = await import('../src/listing/last-touch.ts');
const { addSaved, linesIn, linesWhere, replaceSaved } = await import('../src/listing/saved-group.ts');
const { encodeLine } = await import('../src/log/log-line.ts');

const place = useDirectory();

/** The calls that fail, and how. */
interface Fault {
  readonly name: string;
  readonly code: string;
}

/** Longer than a group must be left alone to be settled. */
const SETTLED_MS = 150;
/** More searches than a process makes before it reads all. */
const MANY_SEARCHES = 40;

interface Kind {
  readonly parent: string;
  readonly folderOf: (user: string) => string;
  readonly write: (...users: string[]) => Promise<void>;
  readonly erase: (user: string) => Promise<void>;
  /** Opens a store. Returns a function that lists what a user has, and one that counts what nothing identifies. */
  readonly open: () => { of: (user: string) => Promise<string[]>; unidentified: () => Promise<number> };
}

function sessions(): Kind {
  const open = () => new FileSessionStore({ directory: place.path, durability: 'os', onCorrupt() {} });
  return {
    parent: sessionsFolder(place.path),
    folderOf: (user) => sessionFolder(place.path, `helper:u:${user}:s1`),
    async write(...users) {
      for (const user of users) await open().open(`helper:u:${user}:s1`).addItems([{ user }]);
    },
    async erase(user) {
      await open().delete(`helper:u:${user}:s1`);
    },
    open() {
      const store = open();
      return {
        of: async (user) =>
          (await store.list({ segment: user })).items.map(({ sessionId }) => sessionId.split(':')[2] as string),
        unidentified: () => store.unidentified(),
      };
    },
  };
}

function namespaces(): Kind {
  const open = () => new FileStore({ name: 'test', directory: place.path, durability: 'os', onCorrupt() {} });
  return {
    parent: memoryFolder(place.path),
    folderOf: (user) => namespaceFolder(place.path, ['helper', 'u', user]),
    async write(...users) {
      for (const user of users)
        await open()
          .within(['helper', 'u', user])
          .put({ id: 'a', content: `Of ${user}` });
    },
    async erase(user) {
      await open().within(['helper', 'u', user]).clear();
    },
    open() {
      const store = open();
      return {
        of: async (user) =>
          (await store.namespaces({ segment: user, empty: true })).items.map(({ namespace }) => namespace[2] as string),
        unidentified: () => store.unidentified(),
      };
    },
  };
}

/** Another user whose folder is in the same group. */
function neighbourOf({ folderOf }: Kind, user: string): string {
  for (let n = 0; ; n++) if (dirname(folderOf(`user${n}`)) === dirname(folderOf(user))) return `user${n}`;
}

const savedIn = ({ parent }: Kind) => filesBelow(join(parent, '.index')).filter((path) => basename(path) !== 'changes');

describe.each([
  ['sessions', sessions],
  ['namespaces', namespaces],
])('the index of the folders of %s', (_, kindOf) => {
  it('finds what a user has without opening the files of others', async () => {
    const kind = kindOf();
    const users = Array.from({ length: 200 }, (_, n) => `user${n}`);
    await kind.write(...users, 'user1x', 'xuser1');
    const first = kind.open();
    opened = 0;
    expect(await first.of('user1')).toEqual(['user1']);
    // Two for each of 64 groups, and those of the user. To read all takes more than two for each folder.
    expect(opened).toBeLessThan(140);
    await sleep(SETTLED_MS);
    await kind.open().of('user1');
    const later = kind.open();
    expect(await later.of('user2')).toEqual(['user2']);
    opened = 0;
    expect(await later.of('user3')).toEqual(['user3']);
    expect(await later.of('nobody')).toEqual([]);
    expect(opened).toBeLessThan(10);
    expect(await later.unidentified()).toBe(0);
  });

  it('finds the same before and after a process has read all', async () => {
    const kind = kindOf();
    await kind.write('alice', 'bob', 'Ünï "quoted"\\');
    const store = kind.open();
    for (let n = 0; n < MANY_SEARCHES; n++) {
      for (const user of ['alice', 'bob', 'Ünï "quoted"\\']) expect(await store.of(user)).toEqual([user]);
      if (n === 5) await kind.write('carol');
      if (n > 5) expect(await store.of('carol')).toEqual(['carol']);
      if (n === 20) await kind.erase('bob');
      if (n === 20) await kind.write('bob');
    }
    await kind.erase('alice');
    expect(await store.of('alice')).toEqual([]);
  });

  it('finds a folder that came by hand, even if the time of its group is set back', async () => {
    const kind = kindOf();
    await kind.write('alice', neighbourOf(kind, 'alice'));
    const folder = kind.folderOf('alice');
    const group = dirname(folder);
    const setBack = () => utimesSync(group, 1_700_000_000.5, 1_700_000_000.5);
    renameSync(folder, join(place.path, 'away'));
    setBack();
    await sleep(SETTLED_MS);
    const running = kind.open();
    for (const store of [running, kind.open()]) expect(await store.of('alice')).toEqual([]);
    renameSync(join(place.path, 'away'), folder);
    setBack();
    for (const store of [running, kind.open()]) expect(await store.of('alice')).toEqual(['alice']);
  });

  it.each([
    ['lost its last lines', (path: string) => truncateSync(path, statSync(path).size >> 1)],
    ['lost the bytes of a line', (path: string) => writeFileSync(path, readFileSync(path).fill(0, 40, 80))],
    [
      'has a damaged line feed before its line',
      (path: string) => {
        const bytes = readFileSync(path);
        const at = bytes.lastIndexOf('\n', bytes.indexOf('["')) as number;
        bytes[at] = (bytes[at] as number) ^ 1;
        writeFileSync(path, bytes);
      },
    ],
    [
      'has a damaged line feed before another line, which is the last one',
      (path: string) => {
        const bytes = readFileSync(path);
        const at = bytes.indexOf('\n', bytes.indexOf('["'));
        bytes[at] = (bytes[at] as number) ^ 1;
        writeFileSync(path, bytes);
      },
    ],
    [
      'lost a line before its seal',
      (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(/^.*u-alice-.*\n/m, '')),
    ],
    ['is empty', (path: string) => writeFileSync(path, '')],
    ['is gone', (path: string) => rmSync(path)],
    [
      'is a folder',
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('finds a folder after its file %s', async (_, damage) => {
    const kind = kindOf();
    await kind.write(neighbourOf(kind, 'alice'), 'alice', 'bob');
    await sleep(SETTLED_MS);
    await kind.open().of('alice');
    for (const path of savedIn(kind)) damage(path);
    for (let n = 0; n < 2; n++) {
      expect(await kind.open().of('alice')).toEqual(['alice']);
      expect(await kind.open().unidentified()).toBe(0);
    }
  });

  it('tells nothing of what was erased, also where a crash left a line without its folder', async () => {
    const kind = kindOf();
    await kind.write('alice', 'bob', 'carol');
    await sleep(SETTLED_MS);
    expect(await kind.open().of('alice')).toEqual(['alice']);
    await kind.erase('alice');
    expect(rawScan(kind.parent)).not.toContain('alice');
    // As if the process had ended before it overwrote the line.
    rmSync(kind.folderOf('bob'), { recursive: true });
    expect(rawScan(join(kind.parent, '.index'))).toContain('bob');
    expect(await kind.open().of('bob')).toEqual([]);
    await kind.erase('bob');
    expect(rawScan(kind.parent)).not.toContain('bob');
    await kind.erase('carol');
    expect(savedIn(kind)).toEqual([]);
  });

  it('tells nothing of a folder that is removed while its line is written, nor after a line that was cut off', async () => {
    const kind = kindOf();
    await kind.write('alice', 'bob');
    rmSync(join(kind.parent, '.index'), { recursive: true });
    onWrite = () => {
      onWrite = () => {};
      rmSync(kind.folderOf('alice'), { recursive: true });
    };
    expect(await kind.open().of('alice')).toEqual([]);
    expect(rawScan(kind.parent)).not.toContain('alice');
    for (const end of ['', '\n', '#torn\n']) {
      const neighbour = neighbourOf(kind, 'bob');
      await kind.write('bob', neighbour);
      const path = join(kind.parent, '.index', basename(dirname(kind.folderOf('bob'))));
      writeFileSync(path, `01234567 80 ["helper-u-bo${end}`, { flag: 'a' });
      await kind.erase('bob');
      expect(rawScan(kind.parent)).not.toContain('helper-u-bo');
      expect(await kind.open().of(neighbour)).toEqual([neighbour]);
    }
  });

  it('is sealed only when nothing can come to a group any more without another time', async () => {
    const kind = kindOf();
    const isSealed = () => rawScan(join(kind.parent, '.index')).includes('"touched"');
    await kind.write('alice');
    await kind.open().of('alice');
    expect(isSealed()).toBe(false);
    await sleep(SETTLED_MS);
    await kind.open().of('alice');
    expect(isSealed()).toBe(true);
  });

  it('counts what nothing identifies in each process', async () => {
    const kind = kindOf();
    await kind.write('alice', neighbourOf(kind, 'alice'));
    for (const path of filesBelow(kind.folderOf('alice'))) writeFileSync(path, 'damage');
    rmSync(join(kind.parent, '.index'), { recursive: true });
    await sleep(SETTLED_MS);
    for (let n = 0; n < 3; n++) expect(await kind.open().unidentified()).toBe(1);
  });

  it('has no second line of a folder, whatever it says', async () => {
    const kind = kindOf();
    await kind.write('alice');
    await sleep(SETTLED_MS);
    await kind.open().of('alice');
    const name = basename(kind.folderOf('alice'));
    const [path] = savedIn(kind) as [string];
    const of = kind.parent.endsWith('sessions') ? 'helper:u:mallory:s1' : ['helper', 'u', 'mallory'];
    writeFileSync(path, encodeLine(JSON.stringify([name, of])), { flag: 'a' });
    expect(await kind.open().of('mallory')).toEqual([]);
    expect(await kind.open().of('alice')).toEqual(['alice']);
  });

  it('does not tell of a folder that was removed before its line was written', async () => {
    const kind = kindOf();
    await kind.write('alice');
    addSaved(kind.folderOf('bob'), 'bob');
    expect(rawScan(kind.parent)).not.toContain('bob');
  });

  it('has no copy of a folder, and counts it as unidentified each time', async () => {
    const kind = kindOf();
    await kind.write('alice');
    const folder = kind.folderOf('alice');
    cpSync(folder, join(dirname(folder), `copy-${basename(folder)}`), { recursive: true });
    await sleep(SETTLED_MS);
    for (let n = 0; n < 2; n++) {
      const store = kind.open();
      expect(await store.of('alice')).toEqual(['alice']);
      expect(await store.unidentified()).toBe(0);
    }
  });

  it('does not grow with what comes and goes', async () => {
    const kind = kindOf();
    await kind.write('alice');
    for (let n = 0; n < 100; n++) {
      await kind.write(`user${n}`);
      if (n % 10 === 0) await kind.open().of('alice');
      await kind.erase(`user${n}`);
    }
    const [path, ...others] = savedIn(kind) as [string];
    expect(others).toEqual([]);
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(5);
    expect(await kind.open().of('alice')).toEqual(['alice']);
  });

  it.each([
    ['openSync', 'EACCES'],
    ['writeSync', 'ENOSPC'],
    ['mkdirSync', 'EROFS'],
  ])('does without its files if %s fails with %s', async (name, code) => {
    const kind = kindOf();
    await kind.write('alice', 'bob');
    rmSync(join(kind.parent, '.index'), { recursive: true });
    const store = kind.open();
    fault = name === 'openSync' ? undefined : { name, code };
    try {
      for (let n = 0; n < 3; n++) expect(await store.of('alice')).toEqual(['alice']);
    } finally {
      fault = undefined;
    }
    expect(await store.of('bob')).toEqual(['bob']);
  });

  it('is no reason for a removal to fail, whatever is in the place of its file', async () => {
    const kind = kindOf();
    await kind.write('alice', 'bob');
    const path = join(kind.parent, '.index', basename(dirname(kind.folderOf('alice'))));
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, 'alice'), 'alice');
    await kind.erase('alice');
    expect(rawScan(kind.parent)).not.toContain('alice');
    expect(await kind.open().of('bob')).toEqual(['bob']);
  });

  it('is not written where its folder is a file, and refused where that is a link', async () => {
    const kind = kindOf();
    const index = join(kind.parent, '.index');
    mkdirSync(kind.parent, { recursive: true });
    writeFileSync(index, 'a file');
    await kind.write('alice');
    await kind.write('alice');
    expect(await kind.open().of('alice')).toEqual(['alice']);
    await kind.erase('alice');
    expect(await kind.open().of('alice')).toEqual([]);
    rmSync(index);
    await kind.write('alice', 'bob');
    await kind.open().of('alice');
    const outside = join(place.path, 'outside');
    renameSync(index, outside);
    for (const path of filesBelow(outside)) writeFileSync(path, 'of somebody else');
    symlinkSync(outside, index);
    await expect(kind.open().of('alice')).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(kind.erase('alice')).rejects.toMatchObject({ code: expect.stringMatching(/CORRUPT|BACKEND/) });
    for (const path of filesBelow(outside)) expect(readFileSync(path, 'utf8')).toBe('of somebody else');
    expect(filesBelow(outside)).not.toEqual([]);
  });

  it('has no file of a group that was removed by hand', async () => {
    const kind = kindOf();
    await kind.write('alice', 'bob');
    await kind.open().of('alice');
    rmSync(dirname(kind.folderOf('alice')), { recursive: true });
    expect(await kind.open().of('alice')).toEqual([]);
    expect(rawScan(kind.parent)).not.toContain('alice');
    expect(await kind.open().of('bob')).toEqual(['bob']);
  });

  it('reads and saves all for a search that finds many', async () => {
    const kind = kindOf();
    await kind.write(...Array.from({ length: 120 }, (_, n) => `user${n}`));
    expect(await kind.open().of('helper')).toHaveLength(100);
    if (kind.parent.endsWith('sessions')) return;
    // With the counts of those that were listed. Sessions are saved from 1,000 on.
    expect(rawScan(join(kind.parent, '.index')).match(/\],[\d.]+,1,null/g)?.length).toBeGreaterThanOrEqual(100);
  });
});

it('a time in a line is no segment of its session', async () => {
  const store = new FileSessionStore({ directory: place.path, durability: 'os' });
  await store.open('helper:u:alice:s1').addItems([{ n: 1 }]);
  const folder = sessionFolder(place.path, 'helper:u:alice:s1');
  const time = '2026-11-30T20:09:54.819000Z';
  const line = [basename(folder), 'helper:u:alice:s1', 0, 1, time, time] as const;
  replaceSaved(sessionsFolder(place.path), basename(dirname(folder)), [line]);
  expect((await store.list({ segment: '09' })).items).toEqual([]);
  expect((await store.list({ segment: 'alice' })).items).toHaveLength(1);
});

it('lines are found by a text as all lines are read, whatever byte is damaged', () => {
  const lines = ['a', 'b', 'c'].map((id) => [`${id}-folder`, id, 'known']);
  const bytes = Buffer.from(lines.map((line) => encodeLine(JSON.stringify(line))).join(''));
  for (let at = 0; at < bytes.length; at++) {
    for (const bit of [1, 32]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ bit;
      const found = lines.flatMap(([, id]) => linesWhere(damaged, { text: `"${id}"` }));
      expect(found, `byte ${at}`).toEqual(linesIn(damaged));
      expect(linesWhere(damaged, { text: '"known"' }), `byte ${at}`).toEqual(found);
      expect(found.length).toBeGreaterThan(1);
    }
  }
});

it('namespaces that are below none of some segments are found without opening the files of others', async () => {
  const { write } = namespaces();
  await write(...Array.from({ length: 200 }, (_, n) => `user${n}`));
  const store = () => new FileStore({ name: 'test', directory: place.path, durability: 'os' });
  // The names of segments that look as others do where they are in a line.
  const odd = [
    ['x:', ',', 'y'],
    ['[["u",', ',:'],
  ];
  const shared = [...odd, ['helper'], ['helper', 'u'], ['x"u', 'y'], ['x","u",', 'y'], ['\\', 'y'], ['[["u",']];
  for (const path of shared) await store().within(path).put({ content: 'Of all' });
  await store().within(['u', 'alice', 'notes']).put({ content: 'Of alice' });
  await sleep(SETTLED_MS);
  await store().namespaces({ segment: 'nobody' });
  const notBelow = ['s', 'u'];
  const list = async (namespace: string[] = []) =>
    (await store().within(namespace).namespaces({ notBelow })).items.map((info) => info.namespace);
  opened = 0;
  const found = await list();
  // One for each of 64 groups, and the log and lock of each that is counted.
  expect(opened).toBeLessThan(64 + 3 * shared.length);
  expect(found.map((path) => JSON.stringify(path)).sort()).toEqual(shared.map((path) => JSON.stringify(path)).sort());
  expect(await list(['helper'])).toEqual([['helper', 'u']]);
  // In a line, these can be found elsewhere.
  const [folder] = shared.map((path) => basename(namespaceFolder(place.path, path)));
  for (const other of [',', ',:', folder as string]) {
    const { items } = await store().namespaces({ notBelow: ['u', other] });
    expect(items).toHaveLength(shared.filter((path) => !path.slice(0, -1).includes(other)).length);
  }
  // The own path of a store does not count.
  expect(await list(['u', 'alice'])).toEqual([['u', 'alice', 'notes']]);
  expect(await list(['u'])).toHaveLength(1);
  expect(await list(['helper', 'u'])).toHaveLength(100);
});

it('a time that a file system may have rounded to a second is past later', () => {
  expect(isPast(1_700_000_000_123.5, 1_700_000_000_250)).toBe(true);
  expect(isPast(1_700_000_000_123.5, 1_700_000_000_200)).toBe(false);
  expect(isPast(1_700_000_000_000, 1_700_000_002_000)).toBe(false);
  expect(isPast(1_700_000_000_000, 1_700_000_002_200)).toBe(true);
});

it('pages of the sessions of a user, by a segment or a prefix, are those that all lists have', async () => {
  const store = new FileSessionStore({ directory: place.path, durability: 'os' });
  for (let n = 0; n < 7; n++) {
    for (const user of ['alice', 'al', 'alice2']) await store.open(`helper:u:${user}:s${n}`).addItems([{ n }]);
  }
  await store.open('helper:u:alice:s2').addItems([{ again: true }]);
  for (const which of [{ segment: 'alice' }, { idPrefix: 'helper:u:alice:' }, { idPrefix: 'helper:u:alice:s' }]) {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const fresh = new FileSessionStore({ directory: place.path, durability: 'os' });
      const page = await fresh.list({ limit: 3, ...which, ...(cursor !== undefined && { cursor }) });
      ids.push(...page.items.map(({ sessionId }) => sessionId.slice('helper:u:alice:'.length)));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(ids).toEqual(['s2', 's6', 's5', 's4', 's3', 's1', 's0']);
  }
  const fresh = new FileSessionStore({ directory: place.path, durability: 'os' });
  expect((await fresh.list({ idPrefix: 'helper:u:al' })).items).toHaveLength(21);
  expect((await fresh.list({ idPrefix: 'hel' })).items).toHaveLength(21);
  forgetFolder(sessionFolder(place.path, 'helper:u:al:s0'));
  expect((await fresh.list({ segment: 'al' })).items).toHaveLength(7);
});
