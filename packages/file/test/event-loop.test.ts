import { describe, expect, it, onTestFinished } from 'vitest';
import { checkDirectory, FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Far more calls than fit into the time between two turns of the event loop. */
const MOST = 100_000;

function directory(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

it.each([
  ['put()', () => new FileStore({ name: 'memory', directory: directory(), durability: 'os' })],
  ['addItems()', () => new FileSession({ directory: directory(), durability: 'os' })],
] as const)("timers fire while %s is called again and again, also with durability: 'os'", async (_, open) => {
  const opened = open();
  const write = () =>
    opened instanceof FileStore ? opened.put({ content: 'heron' }) : opened.addItems([{ text: 'heron' }]);
  await write();
  let hasFired = false;
  setTimeout(() => {
    hasFired = true;
  });
  for (let n = 0; n < MOST && !hasFired; n++) await write();
  expect(hasFired).toBe(true);
});

async function readAll(reports: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of reports);
}

const reads: [string, (path: string) => () => Promise<unknown>][] = [
  ['list() of a store', (path) => () => new FileStore({ name: 'memory', directory: path }).list()],
  ['namespaces()', (path) => () => new FileStore({ name: 'memory', directory: path }).namespaces()],
  ['list() of sessions', (path) => () => new FileSessionStore({ directory: path }).list()],
  ['getItems()', (path) => () => new FileSession({ directory: path, sessionId: 's' }).getItems()],
  ['checkDirectory()', (path) => () => readAll(checkDirectory({ directory: path }))],
];

describe.each([
  ['an empty directory', false],
  ['a directory in use', true],
])('In %s', (_, isFilled) => {
  it.each(reads)('timers fire while %s is called again and again', async (_, open) => {
    const path = directory();
    if (isFilled) {
      await new FileStore({ name: 'memory', directory: path }).put({ content: 'heron' });
      await new FileSession({ directory: path, sessionId: 's' }).addItems([{ text: 'heron' }]);
    }
    const read = open(path);
    let hasFired = false;
    setTimeout(() => {
      hasFired = true;
    });
    for (let n = 0; n < MOST && !hasFired; n++) await read();
    expect(hasFired).toBe(true);
  });
});
