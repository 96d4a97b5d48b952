import { expect, it } from 'vitest';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';
import type { Place } from './backends/backend.ts';
import { onEveryBackend } from './backends/index.ts';

/* Memories per session below the memory of the user. */

const OWN = ['agent', 'bot', 'u', 'alice'];

function setup(place: Place, agents: MemorySpaceOptions['agents'] = { bot: {} }) {
  const space = new MemorySpace({ store: place.store, sessions: place.sessions, agents });
  return { space, alice: space.as({ principal: { id: 'alice' }, agent: 'bot' }) };
}

const shown = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .slice(1, -1)
    .map((line) => line.replace(/<[^>]*>/g, ''));

/** Two sessions, the second with a newer version of one memory, and data of other users. */
async function fill({ store }: Place): Promise<void> {
  const [first, second] = ['s1', 's2'].map((session) => store.within([...OWN, session]));
  await first?.put({ id: 'home', content: 'Berlin', metadata: { source: 'chat' }, createdAt: '2025-01-02T00:00:00Z' });
  await first?.put({ id: 'pet', content: 'a cat', turn: { thread: 't', index: 3 } });
  // Not in the same millisecond.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await second?.put({ id: 'home', content: 'Lisbon', ttlMs: 3_600_000 });
  await store.within(['agent', 'bot', 'u', 'alice2', 's1']).put({ id: 'home', content: 'of alice2' });
  await store.within(['agent', 'bot-2', 'u', 'alice', 's1']).put({ id: 'home', content: 'of bot-2' });
  await store.within([...OWN, 'u', 'carol']).put({ id: 'home', content: 'of carol' });
  await store.within([...OWN, 'keepsake-outbox']).put({ id: 'x', content: '.[{"outbox":true}]', index: false });
}

onEveryBackend((newPlace) => {
  it('the children of a namespace are those below it, segment by segment, excluding other users', async () => {
    const place = newPlace();
    await fill(place);
    const { space } = setup(place);
    const found = await space.children(OWN);
    expect(found.map(({ namespace, recordCount }) => [namespace.at(-1), recordCount]).sort()).toEqual([
      ['s1', 2],
      ['s2', 1],
    ]);
    expect(await space.children('agent:bot')).toEqual([]);
    expect(await space.children(['agent', 'bo'])).toEqual([]);
    expect(await space.children([])).toEqual([]);
  });

  it('the preamble of an empty memory contains its children, newest per key, until the memory has a record', async () => {
    const place = newPlace();
    await fill(place);
    const { alice } = setup(place);
    expect(shown(await alice.preamble())).toEqual(['home: Lisbon', 'pet: a cat']);
    expect(shown(await alice.preamble({ question: 'Which pet does she have, a cat?' }))).toEqual([
      'pet: a cat',
      'home: Lisbon',
    ]);
    expect(shown(await alice.preamble({ question: 'Berlin' }))).not.toContain('home: Berlin');
    expect(await alice.memory.get('pet')).toBeUndefined();
    const without = setup(place, { bot: { childFallback: false } });
    expect(await without.alice.preamble()).toBeUndefined();
    await alice.memory.put({ id: 'now', content: 'tea' });
    expect(shown(await alice.preamble())).toEqual(['now: tea']);
  });

  it('memories of an agent without a user reach no preamble', async () => {
    const place = newPlace();
    await place.store.within(['agent', 'bot']).put({ id: 'old', content: 'of nobody' });
    await place.store.within(['agent', 'bot', 's9']).put({ id: 'older', content: 'of a session' });
    expect(await setup(place).alice.preamble()).toBeUndefined();
  });
});
