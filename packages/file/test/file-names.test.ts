import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  findLogs,
  groupOf,
  isFolderName,
  isGroupName,
  namespaceFolder,
  newLogName,
  sessionFolder,
} from '../src/disk/file-names.ts';
import { FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { filesBelow } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

const HOSTILE = [
  ...[
    '.',
    '..',
    '../a',
    '../../etc/passwd',
    '/etc/passwd',
    'C:\\a',
    '\\\\host\\a',
    '%2e%2e',
    'a/b',
    'a\\b',
    'a:b',
    '~',
  ],
  ...[
    'CON',
    'con',
    'NUL.txt',
    'COM1',
    'a.',
    'a ',
    ' a',
    'a',
    'A',
    'ä',
    'a\u0308',
    '\u212b',
    '\u00c5',
    'ss',
    'ß',
    'ı',
    'İ',
    'K',
    '\u212a',
  ],
  ...[
    '.tmp',
    '.tmp-00',
    'log-1-1-00.jsonl',
    'lock-1-free',
    '-rf',
    '*',
    '\n',
    '\u0001',
    '\u202e',
    '\ufeff',
    '💡',
    '__proto__',
  ],
  ...['x'.repeat(512), `${'x'.repeat(511)}y`, 'ä'.repeat(512), `${'💡'.repeat(256)}`],
];

describe('the name of a folder', () => {
  it('is valid on every file system, and different for all ids, however similar', () => {
    const names = HOSTILE.map((id) => relative('/x/sessions', sessionFolder('/x', id)));
    expect(new Set(names.map((name) => name.toLowerCase().normalize('NFKC'))).size).toBe(HOSTILE.length);
    for (const path of names) {
      const [group = '', name = ''] = path.split(sep);
      expect(name).toMatch(/^(?:[a-z0-9][a-z0-9-]*-)?[0-9a-f]{40}$/);
      expect(name.length).toBeLessThanOrEqual(255);
      expect(isFolderName(name)).toBe(true);
      expect(isGroupName(group)).toBe(true);
      expect(groupOf(name)).toBe(group);
    }
  });

  it('is valid and unique for any ids and namespaces', () => {
    const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    const odd = fc.string({
      unit: fc.constantFrom('a', 'A', '.', '/', '\\', '-', ' ', 'ä', 'a\u0308', '%', ':'),
      minLength: 1,
      maxLength: 6,
    });
    const segments = fc.array(fc.oneof(id, odd), { maxLength: 4 });
    fc.assert(
      fc.property(segments, segments, (one, other) => {
        const [a, b] = [namespaceFolder('/x', one), namespaceFolder('/x', other)];
        expect(a === b).toBe(JSON.stringify(one) === JSON.stringify(other));
        expect(relative('/x/memory', a)).toMatch(/^[0-3][0-9a-f].(?:[a-z0-9][a-z0-9-]*-)?[0-9a-f]{40}$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('distinguishes a segment from its parts as separate segments', () => {
    const namespaces = [[], ['a', 'b'], ['a.b'], ['a b'], ['a', 'b', ''], ['["a","b"]'], ['ab']];
    expect(new Set(namespaces.map((namespace) => namespaceFolder('/x', namespace))).size).toBe(namespaces.length);
  });
});

describe('the name of a log', () => {
  it('identifies the current log by generation and number', () => {
    const names = [newLogName(2, 10), newLogName(10, 2), newLogName(10, 11), newLogName(9, 99)];
    expect(findLogs([...names, '.DS_Store', 'log-99-1-zz.jsonl', 'log-99-1-00.jsonl.bak'])).toMatchObject([
      { generation: 10, number: 11 },
      { generation: 10, number: 2 },
      { generation: 9, number: 99 },
      { generation: 2, number: 10 },
    ]);
  });
});

describe('a directory', () => {
  it('can contain unrelated files and copies of folders', async () => {
    const directory = join(root, 'others');
    await new FileSession({ directory, sessionId: 'chat' }).addItems([{ a: 1 }]);
    const store = new FileStore({ directory, name: 'memory' });
    await store.within(['a']).put({ content: 'heron' });
    for (const folder of [sessionFolder(directory, 'chat'), namespaceFolder(directory, ['a'])]) {
      const [parent, name] = [dirname(folder), basename(folder)];
      for (const beside of [dirname(parent), parent, folder]) {
        writeFileSync(join(beside, '.DS_Store'), 'x');
        writeFileSync(join(beside, 'notes.txt'), 'x');
      }
      mkdirSync(join(dirname(parent), '40'));
      for (const copy of [`copy-of-${name}`, `${name} copy`, `${name.slice(0, -1)}${name.endsWith('0') ? 1 : 0}`]) {
        mkdirSync(join(parent, copy));
        for (const file of filesBelow(folder)) {
          writeFileSync(join(parent, copy, file.split('/').at(-1) ?? ''), '');
        }
      }
    }
    const reports: unknown[] = [];
    const sessions = new FileSessionStore({ directory, onCorrupt: (report) => reports.push(report) });
    expect((await sessions.list()).items.map(({ sessionId }) => sessionId)).toEqual(['chat']);
    expect((await store.namespaces()).items).toEqual([{ namespace: ['a'], recordCount: 1 }]);
  });

  it('can be a symbolic link itself', async () => {
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), join(root, 'link'));
    await new FileSession({ directory: join(root, 'link'), sessionId: 'chat' }).addItems([{ a: 1 }]);
    expect(await new FileSession({ directory: join(root, 'elsewhere'), sessionId: 'chat' }).getItems()).toEqual([
      { a: 1 },
    ]);
  });

  it.each(['the folder of a session', 'the log', 'a group', 'the folder of all sessions', 'an empty folder'])(
    'cannot be left through a symbolic link in the place of %s',
    async (what) => {
      const directory = join(root, `links ${what}`);
      const outside = join(root, `outside ${what}`);
      const session = new FileSession({ directory, sessionId: 'chat' });
      const folder = sessionFolder(directory, 'chat');
      await session.addItems([{ a: 1 }]);
      mkdirSync(outside);
      const [log = ''] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
      const target =
        what === 'the log'
          ? join(folder, log)
          : what === 'a group'
            ? dirname(folder)
            : what === 'the folder of all sessions'
              ? join(directory, 'sessions')
              : folder;
      if (what === 'an empty folder') renameSync(folder, join(root, `gone ${what}`));
      else renameSync(target, join(outside, 'moved'));
      if (what === 'an empty folder') symlinkSync(outside, folder);
      else symlinkSync(join(outside, 'moved'), target);

      const before = filesBelow(outside);
      const code = what === 'the log' ? 'BACKEND' : 'CORRUPT';
      for (const one of [session, new FileSession({ directory, sessionId: 'chat' })]) {
        await expect(one.addItems([{ a: 2 }])).rejects.toMatchObject({
          code,
          message: expect.stringContaining('symbolic link'),
        });
        await expect(one.getItems()).rejects.toMatchObject({ code });
      }
      if (what !== 'the log') {
        await expect(new FileSessionStore({ directory }).delete('chat')).rejects.toMatchObject({ code });
        await expect(new FileSessionStore({ directory }).list()).rejects.toMatchObject({ code });
      }
      expect(filesBelow(outside)).toEqual(before);
    },
  );
});
