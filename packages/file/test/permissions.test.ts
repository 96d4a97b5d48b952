import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkDirectory, type FileOptions, FileSession, FileStore } from '../src/index.ts';

const place = useDirectory();

/** The permission bits of all files and folders in a directory, itself included. */
function modes(directory: string): { files: string[]; folders: string[] } {
  const all = readdirSync(directory, { recursive: true, withFileTypes: true });
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const of = (isWanted: (entry: (typeof all)[number]) => boolean) => [
    ...new Set(all.filter(isWanted).map((entry) => modeOf(join(entry.parentPath, entry.name)))),
  ];
  return { files: of((entry) => entry.isFile()), folders: [...of((entry) => entry.isDirectory()), modeOf(directory)] };
}

/** Creates a session and a store, with an index, compactions and a removal. */
async function use(options: FileOptions): Promise<void> {
  const session = new FileSession({ ...options, sessionId: 's' });
  for (let n = 0; n < 50; n++) await session.addItems([{ role: 'user', content: `item ${n} ${'x'.repeat(2_000)}` }]);
  await session.clearSession();
  const store = new FileStore({ ...options, name: 'memory' });
  await store.putMany(
    Array.from({ length: 500 }, (_, n) => ({ id: `r${n}`, content: `record ${n} ${'x'.repeat(500)}` })),
  );
  for (let n = 0; n < 400; n++) await store.delete(`r${n}`);
  await store.compact();
  await store.within(['gone']).put({ content: 'x' });
  await store.within(['gone']).clear();
  await store.close();
}

describe.skipIf(process.platform === 'win32')('permissions', () => {
  it('files and folders are for this user only, whatever the umask', async () => {
    const directory = join(place.path, 'data');
    const before = process.umask(0);
    try {
      await use({ directory, durability: 'os' });
    } finally {
      process.umask(before);
    }
    expect(modes(directory)).toEqual({ files: ['600'], folders: ['700', '700'] });
  });

  it('`fileMode` lets others in', async () => {
    const directory = join(place.path, 'data');
    const before = process.umask(0);
    try {
      await use({ directory, durability: 'os', fileMode: 0o660 });
    } finally {
      process.umask(before);
    }
    expect(modes(directory)).toEqual({ files: ['660'], folders: ['770', '770'] });
  });

  it.each([0o400, 0o700, 0o601, 0, -1, 1.5, 0o1600, '600'])('refuses the file mode %s', (fileMode) => {
    const make = () => new FileStore({ directory: place.path, name: 'memory', fileMode: fileMode as number });
    expect(make).toThrow(/`fileMode` must be permission bits/);
  });
});

/** What can stand in the place of a log. */
const INTRUDERS: Readonly<Record<string, (path: string) => unknown>> = {
  pipe: (path) => execFileSync('mkfifo', [path]),
  socket: async (path) => {
    const server = createServer().listen(path);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
  },
  directory: (path) => mkdirSync(path),
};

describe.skipIf(process.platform === 'win32').each(Object.entries(INTRUDERS))(
  'a %s in the place of a log',
  (_, intrude) => {
    /** Puts it there. */
    async function replaceLog(): Promise<void> {
      const [log] = readdirSync(place.path, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && entry.name.endsWith('.jsonl'),
      );
      const path = join(log?.parentPath ?? '', log?.name ?? '');
      rmSync(path);
      await intrude(path);
    }

    async function expectRefusals(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({ code: 'CORRUPT', message: expect.stringMatching(/pipe/) });
      }
      for await (const report of checkDirectory({ directory: place.path })) expect(report.problems).not.toEqual([]);
    }

    it('is an error of a store, not a wait, for reading, writing and the check', async () => {
      const open = () => new FileStore({ directory: place.path, name: 'memory', durability: 'os' });
      await open().put({ id: 'a', content: 'x' });
      await replaceLog();

      const store = open();
      await expectRefusals([() => store.get('a'), () => store.put({ content: 'y' }), () => store.search('x')]);
    });

    it('is an error of a session, not a wait, for reading, writing and the check', async () => {
      const open = () => new FileSession({ directory: place.path, sessionId: 'chat', durability: 'os' });
      await open().addItems([{ role: 'user', content: 'x' }]);
      await replaceLog();

      const session = open();
      await expectRefusals([
        () => session.getItems(),
        () => session.getItems(1),
        () => session.addItems([{ role: 'user', content: 'y' }]),
        () => session.popItem(),
      ]);
    });
  },
);
