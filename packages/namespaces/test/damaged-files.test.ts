import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { localDirectory, userWorkspaces, WorkspaceMemory } from '@keepsake/workspace';
import { expect, it } from 'vitest';
import { MemorySpace } from '../src/index.ts';
import { filesIn } from './sentinels/look-for.ts';

const directory = useDirectory();
const SECRET = 'sentinel-7c3e';
/** Never asked, because nothing is distilled. */
const MODEL = { generate: async () => ({ text: '' }) };

/** Damages the lines with the word, beside the word. Returns how many there were. */
function damageLines(path: string): number {
  let damaged = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'latin1');
    const broken = text.replaceAll(SECRET, `${SECRET}#`);
    damaged += broken.length - text.length;
    writeFileSync(file, broken, 'latin1');
  }
  return damaged;
}

it('erasing a user leaves nothing of damaged lines in their memories, sessions and transcripts', async () => {
  const open = () => {
    const stores = join(directory.path, 'stores');
    const options = { directory: stores, onCorrupt: () => {} };
    const workspaceOf = (id: string) => localDirectory(join(directory.path, 'agents', id));
    const space = new MemorySpace({
      store: new FileStore({ ...options, name: 'memory' }),
      sessions: new FileSessionStore(options),
      agents: { bot: {} },
      userData: { workspaces: userWorkspaces(workspaceOf) },
    });
    return { space, workspaceOf };
  };
  const { space, workspaceOf } = open();
  for (const id of ['alice', 'bob']) {
    const { memory, sessions } = space.as({ principal: { id }, agent: 'bot' });
    const words = [1, 2, 3].map((n) => `${id === 'alice' && n < 3 ? SECRET : 'word'} of ${id} ${n}`);
    for (const content of words) await memory.put({ content });
    for (const content of words) await sessions.open('chat').addItems([{ content }]);
    const run = new WorkspaceMemory({ workspace: workspaceOf(id), model: MODEL }).run({
      sessionId: 'chat',
    });
    for (const input of words)
      await run.append({ input, generatedItems: [], terminal: { state: 'completed', hasFinalOutput: true } });
  }
  await space.close();
  expect(damageLines(directory.path)).toBe(6);
  await open().space.eraseUser('alice');
  const raw = filesIn(directory.path);
  expect(raw).not.toContain(SECRET);
  expect(raw).not.toContain('of alice');
  for (const n of [1, 2, 3]) expect(raw).toContain(`word of bob ${n}`);
});

it.each([
  ['their first line', /"of":/g],
  ['every line', /"/g],
])('erasing a user reaches their sessions with damage in %s, and no others', async (_, what) => {
  const open = () =>
    new MemorySpace({
      store: new FileStore({ directory: directory.path, name: 'memory' }),
      sessions: new FileSessionStore({ directory: directory.path, onCorrupt: () => {} }),
      agents: { bot: {} },
    });
  for (const id of ['alice', 'bob']) {
    const { sessions } = open().as({ principal: { id }, agent: 'bot' });
    for (const chat of ['one', 'two']) await sessions.open(chat).addItems([{ content: `The words of ${id}` }]);
  }
  for (const entry of readdirSync(directory.path, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.jsonl') || !/-one-/.test(entry.parentPath)) continue;
    const log = join(entry.parentPath, entry.name);
    writeFileSync(log, readFileSync(log, 'latin1').replaceAll(what, '#'), 'latin1');
  }
  expect(await open().eraseUser('alice')).toMatchObject({ sessions: 2 });
  const raw = filesIn(directory.path);
  expect(raw).not.toMatch(/of alice|u-alice/);
  expect(raw.split('The words of bob')).toHaveLength(3);
});

/** Damages files of a directory so that nothing intact is left in them. */
function damageFiles(path: string, isOne: (folder: string, name: string) => boolean): void {
  for (const { parentPath, name } of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!isOne(parentPath, name)) continue;
    const file = join(parentPath, name);
    writeFileSync(file, readFileSync(file, 'latin1').replaceAll('"', '#'), 'latin1');
  }
}

it.each([
  ['the log is damaged', []],
  ['the log is gone', []],
  ['the log and the lock are damaged', ['lock']],
  ['the log is gone and the lock is damaged', ['lock']],
  ['the log and the lock are damaged, and the index is gone', ['lock', 'index']],
  ['the log is gone, the lock is damaged, and the index is gone', ['lock', 'index']],
])('erasing a user reports what it could not reach: %s', async (what, others) => {
  const isLost = others.length === 2;
  const open = () =>
    new MemorySpace({
      store: new FileStore({ directory: directory.path, name: 'memory', onCorrupt: () => {} }),
      sessions: new FileSessionStore({ directory: directory.path, onCorrupt: () => {} }),
      agents: { bot: {} },
    });
  for (const id of ['alice', 'bob']) {
    const { memory, sessions } = open().as({ principal: { id }, agent: 'bot' });
    await memory.put({ content: `The words of ${id}` });
    await sessions.open('one').addItems([{ content: `The words of ${id}` }]);
  }
  const isOfAlice = (folder: string) => /alice/.test(folder);
  damageFiles(
    directory.path,
    (folder, name) => isOfAlice(folder) && (/\.jsonl$/.test(name) || (others.includes('lock') && /lock/.test(name))),
  );
  for (const { parentPath, name } of readdirSync(directory.path, { recursive: true, withFileTypes: true })) {
    if (!isOfAlice(parentPath) || !name.endsWith('.jsonl')) continue;
    // Its words are in other files, too, such as an index.
    writeFileSync(join(parentPath, 'index-1-00'), 'The words of alice');
    if (what.startsWith('the log is gone')) rmSync(join(parentPath, name));
  }
  for (const parent of isLost ? ['memory', 'sessions'] : []) {
    rmSync(join(directory.path, parent, '.index'), { recursive: true });
  }
  const dryRun = await open().eraseUser('alice', { dryRun: true });
  const receipt = await open().eraseUser('alice');
  const raw = filesIn(directory.path);
  expect(raw.split('The words of bob')).toHaveLength(3);
  // One rule: what is left is counted.
  expect(dryRun.unidentified).toBe(receipt.unidentified);
  expect(receipt.unidentified).toBe(isLost ? 2 : 0);
  expect(raw.includes('of alice')).toBe(isLost);
  expect(await open().eraseUser('bob')).toMatchObject({ memories: 1, sessions: 1, unidentified: receipt.unidentified });
});
