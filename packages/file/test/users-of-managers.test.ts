import { join } from 'node:path';
import { MemoryManager } from '@keepsake/core';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { FileStore } from '../src/index.ts';

const directory = useDirectory();
const program = join(import.meta.dirname, 'programs/answer-users.ts');

it('recover saves the turns of all users of a process that was killed, each in the memory of that user', async () => {
  const users = ['alice', 'alic', 'a*', '../alice', 'u', 'a:b'];
  const killed = await runProgram(program, [directory.path, ...users]);
  expect(killed).toMatchObject({ stderr: '', signal: 'SIGKILL' });

  const store = new FileStore({ directory: directory.path, name: 'chats', extraction: true });
  const memory = new MemoryManager({ stores: [store], outbox: store });
  for (const user of users) expect((await memory.for({ user }).list()).items).toEqual([]);
  expect(await memory.recover()).toEqual({ chats: { saved: 2 * users.length, failed: 0 } });
  for (const user of users) {
    const { items } = await memory.for({ user }).list();
    expect(items.map(({ content }) => content)).toEqual(['Welcome on board.', `I am ${user}.`]);
  }
  expect(await memory.recover()).toEqual({ chats: { saved: 0, failed: 0 } });
  const left = (await store.namespaces()).items.map(({ namespace }) => namespace);
  expect(left.sort()).toEqual(users.map((user) => ['u', user]).sort());
  await store.close();
});
