import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenedConfig } from '@keepsake/config';
import { FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { createPanel } from '../src/index.ts';
import { type ErasureReceipt, type Health, PATHS, type UserDetail } from '../src/protocol.ts';
import { Client } from './support/client.ts';

const directory = useDirectory();

const open = () =>
  new OpenedConfig(
    {
      memory: () => new FileStore({ directory: directory.path, name: 'memory', onCorrupt: () => {} }),
      space: { agents: { guide: {} } },
    },
    { path: 'the test' },
  );

it('health checks the files of stores that a program configures', async () => {
  const store = await open().memory();
  await store.put({ content: 'written before the damage' });
  await store.put({ content: 'damaged' });
  const log = readdirSync(directory.path, { recursive: true, withFileTypes: true }).find(({ name }) =>
    name.endsWith('.jsonl'),
  );
  const file = join(log?.parentPath ?? '', log?.name ?? '');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"damaged"', '"dama#ed"'));
  const { files } = await new Client(createPanel(open())).get<Health>(PATHS.health);
  expect(files).toMatchObject({ bytes: expect.any(Number), problems: [{ where: '' }], moreProblems: 0 });
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
  const client = new Client(createPanel(open()));
  const { counts } = await client.get<UserDetail>(PATHS.user, { id: 'bob' });
  expect(counts).toMatchObject({ memories: 1, unidentified: 1 });
  const erase = { id: 'bob', type: 'user', shared: false, confirm: 'bob' };
  const receipt = await client.post<ErasureReceipt>(PATHS.eraseUser, erase);
  expect(receipt.counts).toMatchObject({ memories: 1, unidentified: 1 });
});
