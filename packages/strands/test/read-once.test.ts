import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { readsValuesOnce } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { AgentTrigger, contextPlugin, KeepsakeStorage, keepsake, workspace } from '../src/index.ts';

const store = new InMemoryStore({ name: 'facts' });
const memory = new MemoryManager({ stores: [store] });
const runs = {} as never;
const nameOf = ({ name }: { readonly name: string }) => name;
const logger = Object.create(console);
const context = { render: () => '', trigger: 'everyTurn', deadlineMs: 50, name: 'a', logger };

readsValuesOnce([
  ['keepsake', (options) => nameOf(keepsake(memory, options)), { conversationId: 'a', name: 'b' }],
  ['contextPlugin', (options) => nameOf(contextPlugin(options)), context],
  ['workspace', (options) => nameOf(workspace(runs, options)), { conversationId: 'a', name: 'b', onError: () => {} }],
  ['new AgentTrigger', (options) => nameOf(new AgentTrigger(options)), { name: 'a', when: () => true }],
  ['new KeepsakeStorage', (options) => new KeepsakeStorage(options).read('a'), { store }],
]);

it('stores the bytes as they were when they were written, if the caller reuses its buffer', async () => {
  const storage = new KeepsakeStorage({ store });
  const bytes = Uint8Array.of(1, 2, 3);
  const written = storage.write('a', bytes);
  bytes.fill(9);
  await written;
  expect(await storage.read('a')).toEqual(Uint8Array.of(1, 2, 3));
});
