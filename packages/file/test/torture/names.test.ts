import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isMemoryError } from '@keepsake/core';
import { count, show } from '@keepsake/testing/torture/figures';
import { describe, expect, it } from 'vitest';
import { namespaceFolder, sessionFolder } from '../../src/disk/file-names.ts';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { filesBelow } from '../folder.ts';
import { places } from './places.ts';

/* Hostile names must neither escape the directory nor collide. The tests watch everything around the directory. */

const { place } = places();

/** Everything below a path, with its contents. Symbolic links are not followed. */
function treeOf(path: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()) {
    const at = join(path, name);
    const stat = lstatSync(at);
    if (stat.isSymbolicLink()) tree[name] = `link to ${readlinkSync(at)}`;
    else tree[name] = stat.isDirectory() ? 'folder' : `${stat.mtimeMs} ${readFileSync(at, 'latin1')}`;
  }
  return tree;
}

/** A directory with unrelated files around it, some of which the hostile ids name. */
function surroundings() {
  const top = place();
  const around = join(top, 'around');
  const directory = join(around, 'below', 'memory');
  mkdirSync(join(around, 'outside', 'sessions'), { recursive: true });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(around, 'outside', 'file'), 'of others');
  writeFileSync(join(around, 'below', 'a'), 'of others');
  /** Everything except the contents of the directory. */
  const others = () =>
    Object.fromEntries(
      Object.entries(treeOf(top)).filter(([name]) => !name.startsWith(relative(top, directory) + sep)),
    );
  return { directory, outside: join(around, 'outside'), others };
}

function hostileNames(outside: string): string[] {
  const long = 'x'.repeat(299);
  return [
    ...[
      '.',
      '..',
      '../a',
      '../../outside/file',
      '../../../../../../../../etc/passwd',
      '..\\a',
      '....//a',
      './a',
      'a/../b',
    ],
    ...['%2e', '%2e%2e', '%2e%2e%2fa', '%2E%2E/a', '%252e', '..%c0%af', '..%00', '\u2025', '\uff0e\uff0e/a', '\u2024.'],
    ...[
      outside,
      `${outside}/file`,
      `${outside}/new`,
      '/etc/passwd',
      '/',
      '//',
      'C:\\a',
      '\\\\host\\a',
      'file:///a',
      '~',
      '~/a',
    ],
    ...[
      'CON',
      'con',
      'Con.txt',
      'PRN',
      'AUX',
      'NUL',
      'nul.jsonl',
      'COM1',
      'LPT9',
      'CONIN$',
      'a:b',
      'a::$DATA',
      'a?',
      'a*',
    ],
    ...[
      'a',
      'A',
      'aa',
      'aA',
      'Aa',
      'AA',
      'ß',
      'ss',
      'SS',
      'ẞ',
      'ı',
      'I',
      'i',
      'İ',
      'i\u0307',
      '\u212a',
      'K',
      'k',
      'ſ',
      's',
    ],
    ...['é', 'e\u0301', 'É', 'E\u0301', '\u212b', '\u00c5', 'A\u030a', 'ﬁ', 'fi', 'Ω', '\u2126', '가', '\u1100\u1161'],
    ...[
      'a.',
      'a ',
      ' a',
      'a\t',
      'a\n',
      '\n',
      '\r\n',
      '\u0001',
      '\u007f',
      '\u0085',
      '\u200b',
      'a\u200b',
      '\u202ea',
      '\ufeffa',
    ],
    ...[
      '.tmp',
      '.tmp-00',
      'log-1-1-00.jsonl',
      'lock-1-free',
      'sessions',
      'memory',
      '.keepsake',
      '-rf',
      '--',
      '$HOME',
      '`a`',
    ],
    ...['__proto__', 'constructor', 'toString', 'length', '0', '-0', 'null', 'undefined', 'NaN', '[object Object]'],
    ...[`${long}a`, `${long}b`, `${long}A`, long, `a${long}`, 'ä'.repeat(300), 'a\u0308'.repeat(150), '💡'.repeat(150)],
    ...[
      'a'.repeat(255),
      'a'.repeat(256),
      'a'.repeat(40),
      `${'a'.repeat(40)}-`,
      'a-b',
      'a--b',
      'a_b',
      'a b',
      'a.b',
      'a/b',
    ],
  ];
}

const REFUSED = ['', 'a\0', '\0', '../a\0.jsonl', 'a\ud800', '\udc00', 'x'.repeat(513)];

describe('hostile ids', () => {
  it('of sessions stay in the directory, each in a separate file', async (context) => {
    const { directory, outside, others } = surroundings();
    const ids = hostileNames(outside);
    expect(new Set(ids).size).toBe(ids.length);
    const before = others();
    const open = (sessionId: string) => new FileSession({ directory, sessionId, durability: 'os' });
    for (const [n, id] of ids.entries()) await open(id).addItems([{ text: `sentinel ${n}.` }]);
    for (const id of REFUSED) expect(() => open(id)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(others()).toEqual(before);

    for (const [n, id] of ids.entries()) expect(await open(id).getItems()).toEqual([{ text: `sentinel ${n}.` }]);
    const files = filesBelow(directory).map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    for (const n of ids.keys()) {
      expect(files.filter(({ text }) => text.includes(`sentinel ${n}.`)).length).toBe(1);
    }
    for (const { text } of files) expect(text.split('sentinel').length).toBeLessThan(3);
    // Names that every file system accepts and distinguishes.
    const folders = ids.map((id) => basename(sessionFolder(directory, id)));
    expect(new Set(folders.map((name) => name.normalize('NFKC').toLowerCase())).size).toBe(ids.length);
    for (const name of folders) expect(name).toMatch(/^[a-z0-9-]{1,100}$/);

    const store = new FileSessionStore({ directory, durability: 'os' });
    const listed = (await store.list({ limit: 1000 })).items.map(({ sessionId }) => sessionId);
    expect(listed.sort()).toEqual(ids.toSorted());
    for (const [n, id] of ids.entries()) {
      expect(await store.delete(id)).toBe(true);
      if (n % 10 > 0) continue;
      for (const [rest, other] of ids.entries()) expect(await open(other).getItems(1)).toHaveLength(rest > n ? 1 : 0);
    }
    expect(others()).toEqual(before);
    expect(filesBelow(directory)).toEqual([]);
    show(
      context,
      22,
      `sessions: ${ids.length} hostile ids (../, %2e, absolute, CON, case and NFC twins, 300 characters): written, read, listed, deleted; 0 changes outside the directory, 0 shared files; ${REFUSED.length} with NUL and the like refused`,
    );
  });

  it('of namespaces and records stay in the directory, each namespace in a separate file', async (context) => {
    const { directory, outside, others } = surroundings();
    const segments = hostileNames(outside).filter((id) => id.length <= 256);
    const before = others();
    const root = new FileStore({ directory, name: 'memory', durability: 'os' });
    for (const [n, segment] of segments.entries()) {
      await root.within([segment]).put({ id: segment, content: `sentinel ${n}.` });
      await root.within(['deep', segment, segment]).put({ id: segment, content: `deep ${n}.` });
    }
    for (const segment of [...REFUSED, 'x'.repeat(257)]) {
      expect(() => root.within([segment])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
      if (segment.length !== 257) {
        await expect(root.put({ id: segment, content: 'a' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      }
    }
    expect(others()).toEqual(before);
    const files = filesBelow(directory).map((path) => readFileSync(path, 'utf8'));
    for (const [n, segment] of segments.entries()) {
      expect(files.filter((text) => text.includes(`"sentinel ${n}."`)).length).toBe(1);
      const { items } = await root.within([segment]).list();
      expect(items.map(({ id, content }) => [id, content])).toEqual([[segment, `sentinel ${n}.`]]);
    }
    for (const text of files) expect(text.split('sentinel').length).toBeLessThan(3);
    const { items } = await root.namespaces({ limit: 1000 });
    expect(items).toHaveLength(2 * segments.length);
    expect(await root.clear({ descendants: true })).toBe(2 * segments.length);
    expect(others()).toEqual(before);
    expect(filesBelow(directory)).toEqual([]);
    show(
      context,
      22,
      `stores: ${count(2 * segments.length)} namespaces and record ids of ${segments.length} hostile segments: 0 changes outside the directory, 0 shared files; invalid ones refused`,
    );
  });
});

/** A path below the directory that a symbolic link replaces. */
interface Target {
  readonly what: string;
  pick(directory: string, parent: string): string;
}

const inFolder = (directory: string, parent: string, pattern: RegExp) => {
  const folder = parent === 'sessions' ? sessionFolder(directory, 'chat') : namespaceFolder(directory, []);
  return join(folder, readdirSync(folder).find((name) => pattern.test(name)) as string);
};

const targets: Target[] = [
  { what: 'the log', pick: (directory, parent) => inFolder(directory, parent, /^log-/) },
  { what: 'the lock', pick: (directory, parent) => inFolder(directory, parent, /^lock-/) },
  { what: 'the folder', pick: (directory, parent) => dirname(inFolder(directory, parent, /^log-/)) },
  { what: 'the group', pick: (directory, parent) => dirname(dirname(inFolder(directory, parent, /^log-/))) },
  { what: 'the folder of all folders', pick: (directory, parent) => join(directory, parent) },
  { what: 'the folder for temporary folders', pick: (directory, parent) => join(directory, parent, '.tmp') },
];

/** Calls every method. Refusals are fine. */
async function tryEverything(directory: string): Promise<{ done: number; refused: number }> {
  const session = (sessionId: string) => new FileSession({ directory, sessionId, onCorrupt() {} });
  const sessions = new FileSessionStore({ directory, onCorrupt() {} });
  const store = (...namespace: string[]) => new FileStore({ directory, name: 'memory', namespace, onCorrupt() {} });
  const uses: (() => Promise<unknown>)[] = [
    () => session('chat').getItems(),
    () => session('chat').addItems([{ text: 'sentinel' }]),
    () => session('chat').popItem(),
    () => session('chat').replaceHistoryWithCompaction([{ text: 'sentinel' }]),
    () => session('another').addItems([{ text: 'sentinel' }]),
    () => session('chat').clearSession(),
    () => sessions.list(),
    () => sessions.delete('chat'),
    () => sessions.delete('another'),
    () => store().list(),
    () => store().put({ id: 'sentinel', content: 'sentinel' }),
    () => store('another').put({ id: 'sentinel', content: 'sentinel' }),
    () => store().search('sentinel'),
    () => store().delete('sentinel'),
    () => store().namespaces(),
    () => store().clear({ descendants: true }),
  ];
  let done = 0;
  let refused = 0;
  for (const use of uses) {
    try {
      await use();
      done++;
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      refused++;
    }
  }
  return { done, refused };
}

describe('a symbolic link', () => {
  it.for(targets)('in the place of $what is never followed out of the directory', async (target, context) => {
    let done = 0;
    let refused = 0;
    for (const parent of ['sessions', 'memory']) {
      for (const empty of [false, true]) {
        const uses = await useWithLink(target, parent, empty);
        done += uses.done;
        refused += uses.refused;
      }
    }
    show(
      context,
      22,
      `symbolic link in the place of ${target.what}, of sessions and of stores, to the original and to an empty one: ${done} calls done, ${refused} refused, 0 changes outside`,
    );
  });
});

/** Replaces a path with a symbolic link and calls every method. Fails if anything changes at the link's target. */
async function useWithLink(
  { pick }: Target,
  parent: string,
  empty: boolean,
): Promise<{ done: number; refused: number }> {
  const { directory, outside, others } = surroundings();
  await new FileSession({ directory, sessionId: 'chat' }).addItems([{ text: 'kept' }]);
  await new FileStore({ directory, name: 'memory' }).put({ id: 'kept', content: 'kept' });
  // Creates the folder for temporary folders.
  await new FileSession({ directory, sessionId: 'gone' }).addItems([{ text: 'gone' }]);
  await new FileSessionStore({ directory }).delete('gone');
  const path = pick(directory, parent);
  const elsewhere = join(outside, `was ${basename(path)}`);
  const isFolder = lstatSync(path).isDirectory();
  if (!empty) renameSync(path, elsewhere);
  else {
    rmSync(path, { recursive: true });
    if (isFolder) mkdirSync(elsewhere);
    else writeFileSync(elsewhere, '');
  }
  symlinkSync(elsewhere, path);

  const before = others();
  const watched = new Set<string>();
  const uses = await whileWatching(outside, watched, () => tryEverything(directory));
  expect(others()).toEqual(before);
  // Not even temporarily.
  expect([...watched]).toEqual([]);
  return uses;
}

/** Runs `use` and records which files change in a folder meanwhile. */
async function whileWatching<T>(folder: string, seen: Set<string>, use: () => Promise<T>): Promise<T> {
  const watchers = [folder, ...foldersBelow(folder)].map((path) =>
    watch(path, (_, name) => seen.add(`${relative(folder, path)}/${name}`)),
  );
  try {
    const result = await use();
    // Waits for pending notifications.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return result;
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

function foldersBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((at) => lstatSync(at).isDirectory());
}
