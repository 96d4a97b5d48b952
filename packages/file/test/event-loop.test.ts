import { expect, it, onTestFinished } from 'vitest';
import { FileSession, FileStore } from '../src/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Far more calls than fit into the time between two turns of the event loop. */
const MOST = 3_000;

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
