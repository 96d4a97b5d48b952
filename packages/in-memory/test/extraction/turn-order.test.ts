import { expect, it, onTestFinished, vi } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { managerOf, user } from './support.ts';

/** A process with a clock of its own, which remembers word for word. */
function processOn(store: InMemoryStore) {
  const { memory } = managerOf({ stores: [store] });
  return async (content: string, threads = ['chat']) => {
    for (const id of threads) memory.conversation({ id }).observe(user(content));
    await memory.flush();
  };
}

function clockAt(): (time: string) => void {
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  return (time) => void clock.mockReturnValue(Date.parse(time));
}

const talk = () => new InMemoryStore({ name: 'talk', extraction: true });

async function inTurnOrder(store: InMemoryStore): Promise<string[]> {
  const { items } = await store.list({ filter: { 'source.conversation': 'chat' } });
  return items.toSorted((a, b) => (a.turn?.index ?? 0) - (b.turn?.index ?? 0)).map(({ content }) => content);
}

it('turns of one process stay in their order while its clock goes back, also when a conversation begins again', async () => {
  const [store, setClock] = [talk(), clockAt()];
  const say = processOn(store);
  setClock('2026-03-02T10:00:00Z');
  await say('one');
  setClock('2026-03-02T09:00:00Z');
  await say('two');
  // More than a manager keeps: the conversation is let go, and begins again.
  await say(
    'elsewhere',
    Array.from({ length: 1_100 }, (_, n) => `other ${n}`),
  );
  await say('three');
  expect(await inTurnOrder(store)).toEqual(['one', 'two', 'three']);
});

it('turns of another process come after those before if its clock is not behind', async () => {
  const [store, setClock] = [talk(), clockAt()];
  setClock('2026-03-02T10:00:00Z');
  await processOn(store)('one');
  setClock('2026-03-02T10:00:01Z');
  await processOn(store)('two');
  expect(await inTurnOrder(store)).toEqual(['one', 'two']);
  // A documented limit: no process can ask every kind of store for the last turn of a conversation.
  setClock('2026-03-02T09:00:00Z');
  await processOn(store)('three');
  expect(await inTurnOrder(store)).toEqual(['three', 'one', 'two']);
  expect((await store.list({ order: 'oldest' })).items.map(({ content }) => content)).toEqual(['one', 'two', 'three']);
});
