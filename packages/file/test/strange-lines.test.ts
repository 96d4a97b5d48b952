import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@keepsake/internal';
import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { findLogs, namespaceFolder } from '../src/disk/file-names.ts';
import { type CorruptionReport, checkDirectory, FileStore } from '../src/index.ts';
import { cutLines, encodeLine } from '../src/log/log-line.ts';

/* Lines whose checksum is right, but which Keepsake never wrote. */

const directory = useDirectory();

/** Changes the lines of the only log of memories, with their checksums. */
function changeLines(change: (line: Record<string, unknown>, number: number) => object): void {
  const folder = namespaceFolder(directory.path, []);
  const log = join(folder, findLogs(readdirSync(folder))[0]?.name as string);
  const lines = cutLines(readFileSync(log), 0).pieces.map(({ json = '' }, number) =>
    encodeLine(JSON.stringify(change(parseJson(json) as Record<string, unknown>, number))),
  );
  writeFileSync(log, lines.join(''));
}

function open(reports: CorruptionReport[] = []): FileStore {
  return new FileStore({ directory: directory.path, name: 'memory', onCorrupt: (report) => void reports.push(report) });
}

it.each([
  ['no record', 7],
  ['a content that is no text', { id: 'b', content: 1, metadata: {}, version: 1, created: 2 }],
  ['an id that is no text', { id: {}, content: 'A crane', metadata: {}, version: 1, created: 2 }],
  ['a time that is none', { id: 'b', content: 'A crane', metadata: {}, version: 1, created: 2, createdAt: 'soon' }],
])('a line with %s is damage: it is reported and kept, and the others are read', async (_, put) => {
  await open().putMany([
    { id: 'a', content: 'A heron' },
    { id: 'b', content: 'A crane' },
    { id: 'c', content: 'A stork' },
  ]);
  changeLines((line) => ((line.put as { id?: string } | undefined)?.id === 'b' ? { ...line, put } : line));
  const reports: CorruptionReport[] = [];
  const store = open(reports);
  expect((await store.list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(['a', 'c']);
  expect((await store.search('heron crane')).map(({ id }) => id)).toEqual(['a']);
  expect(reports).toMatchObject([{ from: 2, to: 2 }]);
  await store.put({ id: 'd', content: 'A crane' });
  await store.compact();
  expect((await open().list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(['a', 'c', 'd']);
});

it('a header that names nothing is damage', async () => {
  await open().put({ id: 'a', content: 'A heron' });
  changeLines((line, number) => (number === 0 ? { keepsake: 'memory', version: 1 } : line));
  const problems: string[] = [];
  for await (const found of checkDirectory({ directory: directory.path })) {
    problems.push(...found.problems.map(({ kind }) => kind));
  }
  expect(problems).toContain('no-header');
  expect((await open().get('a'))?.content).toBe('A heron');
});
