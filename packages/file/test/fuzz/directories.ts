import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMemoryError } from '@keepsake/core';
import { parseJson } from '@keepsake/internal';
import { mutateBytes } from '@keepsake/testing/fuzz/bytes';
import { each } from '@keepsake/testing/fuzz/each';
import { type Folder, mutateFolder, readFolder, writeFolder } from '@keepsake/testing/fuzz/folder';
import { mutateJsonText } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { checkDirectory, FileSessionStore, FileStore } from '../../src/index.ts';
import { cutLines, encodeLine } from '../../src/log/log-line.ts';

const GOLDEN = join(import.meta.dirname, '../golden');
const NAMESPACE = ['agent', 'u:Älice'];
const FOLDERS = ['version-1', 'version-1-trails'].map((version) => readFolder(join(GOLDEN, version)));

/** Changes the values in a log and its checksums with them, as a program with a fault would. */
function mutateLog(random: Random, bytes: Uint8Array): Uint8Array {
  const lines = cutLines(Buffer.from(bytes), 0).pieces.flatMap(({ json }) => json ?? []);
  // Files are changed several times.
  if (lines.length === 0 || lines.some((line) => parseJson(line) === undefined)) return mutateBytes(random, bytes);
  const index = random.whole(lines.length);
  lines[index] = mutateJsonText(random, [JSON.parse(lines[index] as string)]).replaceAll('\n', ' ');
  return Buffer.from(lines.map(encodeLine).join(''));
}

/** Runs in a directory with these files. */
async function inDirectory(folder: Folder, run: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
  try {
    writeFolder(directory, folder);
    await run(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const input = (random: Random) =>
  mutateFolder(random, random.pick(FOLDERS), random.chance(0.5) ? mutateBytes : mutateLog);

const settled = (calls: readonly Promise<unknown>[]) => each(calls, isMemoryError);

export const sessions = fuzzTarget({
  inputs: 200,
  input: (random) => mutateFolder(random, random.pick(FOLDERS), mutateLog),
  run: (folder) =>
    inDirectory(folder, async (directory) => {
      const store = new FileSessionStore({ directory, onCorrupt() {} });
      const names = ['compacted', 'grown', 'cleared', 'Ärger/chat'];
      await settled([store.list(), ...names.map((name) => store.open(name).getItems())]);
      await settled(names.map((name) => store.open(name).getItems(2)));
      await settled(names.map((name) => store.open(name).addItems([{ next: true }])));
      await settled(names.map((name) => store.open(name).popItem()));
    }),
});

export const records = fuzzTarget({
  inputs: 200,
  input,
  run: (folder) =>
    inDirectory(folder, async (directory) => {
      const store = new FileStore({ directory, name: 'memory', namespace: NAMESPACE, onCorrupt() {} });
      const root = new FileStore({ directory, name: 'memory', onCorrupt() {} });
      const reads = () => [store.list(), store.search('heron river'), root.list(), root.namespaces(), store.get('one')];
      try {
        await settled(reads());
        await store.put({ id: 'one', content: 'A heron.' });
        await settled(reads());
      } finally {
        await store.close();
      }
    }),
});

/** The words of errors of JavaScript, which a report hides among those of the file system. */
const NO_ANSWER = /undefined|null|not a function|not iterable|Invalid|stack/;

export const checks = fuzzTarget({
  inputs: 200,
  input,
  run: (folder) =>
    inDirectory(folder, async (directory) => {
      for await (const _ of checkDirectory({ directory, repair: true }));
      for await (const { problems } of checkDirectory({ directory })) {
        const unread = problems.find(({ kind, message }) => kind === 'unreadable' && NO_ANSWER.test(message));
        if (unread !== undefined) throw new Error(unread.message);
      }
    }),
});
