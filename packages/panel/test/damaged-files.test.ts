import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenedConfig } from '@keepsake/config';
import type { Namespace, RecordStore } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { encrypted, redacted } from '@keepsake/privacy';
import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { createPanel } from '../src/index.ts';
import { type ErasureReceipt, type Health, PATHS, type UserDetail } from '../src/protocol.ts';
import { Client } from './support/client.ts';

const directory = useDirectory();
const keys = { current: 'k1', keys: { k1: crypto.getRandomValues(new Uint8Array(32)) } };

const WRAPPERS: Readonly<Record<string, (store: RecordStore) => RecordStore>> = {
  FileStore: (store) => store,
  'redacted(FileStore)': redacted,
  'encrypted(FileStore)': (store) => encrypted(store, keys, { index: new InMemoryStore({ name: 'index' }) }),
  'redacted(encrypted(FileStore))': (store) => redacted(WRAPPERS['encrypted(FileStore)']?.(store) as RecordStore),
};

function open({ wrap = WRAPPERS.FileStore as (typeof WRAPPERS)[string], namespace = [] as Namespace } = {}) {
  return new OpenedConfig(
    {
      memory: () => wrap(new FileStore({ directory: directory.path, name: 'memory', onCorrupt: () => {} })),
      space: { agents: { guide: {} } },
    },
    { path: 'the test', namespace },
  );
}

const filesOf = async (config: OpenedConfig) => (await new Client(createPanel(config)).get<Health>(PATHS.health)).files;

it.each(Object.entries(WRAPPERS))('health checks the files of %s that a program configures', async (_, wrap) => {
  const store = await open({ wrap }).memory();
  await store.put({ content: 'written before the damage' });
  await store.put({ content: 'damaged' });
  damageLastLines();
  const files = await filesOf(open({ wrap }));
  expect(files).toMatchObject({ bytes: expect.any(Number), problems: [{ where: '' }], moreProblems: 0 });
});

it('health checks the files below the root of the configuration, and names their namespaces from there', async () => {
  const store = await open().memory();
  for (const namespace of [['ours'], ['ours', 'below'], ['theirs'], []]) {
    const place = store.within(namespace);
    await place.put({ content: 'written before the damage' });
    await place.put({ content: 'damaged' });
  }
  damageLastLines();
  const files = await filesOf(open({ namespace: ['ours'] }));
  expect(files?.problems.map(({ where }) => where).sort()).toEqual(['', 'below']);
  expect(files?.bytes).toBeLessThan((await filesOf(open()))?.bytes ?? 0);
});

it('health checks the files of sessions, and of nothing that is not in files', async () => {
  const path = 'the test';
  const memory = () => new InMemoryStore({ name: 'memory' });
  const sessions = () => new FileSessionStore({ directory: directory.path, onCorrupt: () => {} });
  for (const content of ['written before the damage', 'damaged']) await sessions().open('s1').addItems([{ content }]);
  damageLastLines();
  expect(await filesOf(new OpenedConfig({ memory, sessions }, { path }))).toMatchObject({
    problems: [{ where: 's1' }],
  });
  expect(await filesOf(new OpenedConfig({ memory }, { path }))).toBeUndefined();
});

it('erasing a user counts the namespaces whose name is lost by damage', async () => {
  for (const id of ['alice', 'bob']) {
    const scope = (await open().space()).as({ principal: { id }, agent: 'guide' });
    await scope.memory.put({ content: `The words of ${id}` });
  }
  for (const { parentPath, name } of readdirSync(directory.path, { recursive: true, withFileTypes: true })) {
    if (!parentPath.includes('alice') || !/\.jsonl$|lock/.test(name)) continue;
    const file = join(parentPath, name);
    writeFileSync(file, readFileSync(file, 'latin1').replaceAll('"', '#'), 'latin1');
  }
  rmSync(join(directory.path, 'memory', '.index'), { recursive: true });
  const client = new Client(createPanel(open()));
  const { counts } = await client.get<UserDetail>(PATHS.user, { id: 'bob' });
  expect(counts).toMatchObject({ memories: 1, unidentified: 1 });
  const erase = { id: 'bob', type: 'user', shared: false, confirm: 'bob' };
  const receipt = await client.post<ErasureReceipt>(PATHS.eraseUser, erase);
  expect(receipt.counts).toMatchObject({ memories: 1, unidentified: 1 });
});

/** Changes a character in the last line of each log, so that its checksum is wrong. */
function damageLastLines(): void {
  for (const { parentPath, name } of readdirSync(directory.path, { recursive: true, withFileTypes: true })) {
    if (!name.endsWith('.jsonl')) continue;
    const file = join(parentPath, name);
    const lines = readFileSync(file, 'latin1').trimEnd().split('\n');
    const last = lines.at(-1) ?? '';
    const middle = Math.floor(last.length / 2);
    writeFileSync(
      file,
      `${[...lines.slice(0, -1), `${last.slice(0, middle)}#${last.slice(middle + 1)}`].join('\n')}\n`,
      'latin1',
    );
  }
}
