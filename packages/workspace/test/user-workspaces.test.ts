import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMemoryError, type JsonObject } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { localDirectory, recordWorkspace, userWorkspaces, type Workspace, WorkspaceMemory } from '../src/index.ts';
import { scriptedModel } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();

/** A memory with a transcript, generated files, a live note and a forgotten word. */
async function used(workspace: Workspace, user: string): Promise<void> {
  const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
  await memory.run({ conversationId: `chat of ${user}` }).append(said(`Secrets of ${user}: heron`));
  const { tools } = await memory.read({ rolloutId: `chat of ${user}` });
  const update = tools.find(({ name }) => name === 'memory_update');
  await memory.generate();
  await update?.execute({ stale: '', now: `Noted for ${user}` });
  await update?.execute({ stale: 'heron', now: '' });
  await memory.close();
}

function rawText(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => name + readFileSync(join(parentPath, name), 'utf8')).join('\n');
}

async function exported(data: ReturnType<typeof userWorkspaces>, user: string): Promise<JsonObject[]> {
  const lines: JsonObject[] = [];
  for await (const line of data.exportUser(user)) lines.push(JSON.parse(line));
  return lines;
}

describe.each(PLACES)('userWorkspaces over %s', (_, openIn) => {
  it('exports and erases all files of one user, and nothing of others', async () => {
    const open = new Map(['alice', 'bob'].map((user) => [user, openIn(join(directory.path, user))]));
    const data = userWorkspaces((user) => open.get(user) as Workspace);
    for (const user of ['alice', 'bob']) await used(open.get(user) as Workspace, user);
    const [header, ...files] = await exported(data, 'alice');
    expect(header).toMatchObject({ keepsake: 'workspace-export', version: 1, userId: 'alice' });
    expect(files.map(({ path }) => path)).toContain('memories/raw_memories/~live.md');
    expect(JSON.stringify(files)).toContain('Noted for alice');
    expect(JSON.stringify(files)).not.toContain('bob');
    const before = await exported(data, 'bob');
    const counts = { userId: 'alice', files: files.length, completedAt: expect.any(String) };
    expect(await data.eraseUser('alice', { dryRun: true })).toEqual({ ...counts, dryRun: true });
    expect(await data.eraseUser('alice')).toEqual({ ...counts, dryRun: false });
    expect(await open.get('alice')?.list('')).toEqual([]);
    expect(await data.eraseUser('alice', { dryRun: false })).toMatchObject({ files: 0 });
    expect((await exported(data, 'bob')).slice(1)).toEqual(before.slice(1));
  });

  it('can be used again after erasing', async () => {
    const workspace = openIn(directory.path);
    await used(workspace, 'alice');
    const paths = await workspace.list('');
    await userWorkspaces(() => workspace).eraseUser('alice');
    await used(workspace, 'alice');
    expect(await workspace.list('')).toEqual(paths);
  });
});

it('erasing leaves nothing of files that a killed process was writing', async () => {
  const path = join(directory.path, 'agent');
  const workspace = localDirectory(path);
  await workspace.write('memories/notes.md', 'Known: heron');
  writeFileSync(join(path, 'memories', '.5f2f3c0e-0000-4000-8000-000000000001.keepsake'), 'Half written: heron');
  expect(await workspace.list('')).toEqual(['memories/notes.md']);
  expect(await userWorkspaces(() => workspace).eraseUser('alice')).toMatchObject({ files: 1 });
  expect(rawText(path)).not.toContain('heron');
});

it('erasing a workspace in a store leaves no part of a long file that a killed process was writing', async () => {
  const store = new FileStore({ directory: directory.path, name: 'workspace' });
  await store.within(['parts']).put({ id: 'orphan', content: '"Half written: heron"', index: false });
  await recordWorkspace(store).write('notes.md', 'Known: heron');
  await userWorkspaces(() => recordWorkspace(store)).eraseUser('alice');
  expect(rawText(directory.path)).not.toContain('heron');
  await store.close();
});

it('erasing uses list and delete of a workspace that has no clear, and gives up if runs keep writing', async () => {
  const workspace = localDirectory(join(directory.path, 'agent'));
  await workspace.write('a.md', 'a');
  const { clear: _, ...plain } = workspace;
  expect(await userWorkspaces(() => plain).eraseUser('alice')).toMatchObject({ files: 1 });
  const busy = { ...plain, list: async () => ['a.md'] };
  const error = await userWorkspaces(() => busy)
    .eraseUser('alice')
    .catch((reason) => reason);
  expect(isMemoryError(error, 'CONFLICT')).toBe(true);
  expect(() => userWorkspaces(undefined as never)).toThrow('`open` must be a function');
});

it('erasing and exporting create no directory, and refuse a missing id and unknown options', async () => {
  const data = userWorkspaces((userId) => localDirectory(join(directory.path, userId)));
  expect(await data.eraseUser('nobody')).toMatchObject({ files: 0 });
  expect(await exported(data, 'nobody')).toHaveLength(1);
  expect(readdirSync(directory.path)).toEqual([]);
  await expect(data.eraseUser('')).rejects.toThrow('`userId` must be a non-empty string');
  await expect(exported(data, '')).rejects.toThrow('`userId` must be a non-empty string');
  await expect(data.eraseUser('alice', { dryrun: true } as never)).rejects.toThrow('`dryrun`');
});
