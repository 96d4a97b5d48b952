import { expect, it } from 'vitest';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';
import type { Place } from './backends/backend.ts';
import { onEveryBackend } from './backends/index.ts';
import { contents } from './support.ts';

/* Data of older layouts: memories per session below the memory of the user. */

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

  it('memories of an agent without a user reach no preamble until they are given to a user', async () => {
    const place = newPlace();
    await place.store.within(['agent', 'bot']).put({ id: 'old', content: 'of nobody' });
    await place.store.within(['agent', 'bot', 's9']).put({ id: 'older', content: 'of a session' });
    const { space, alice } = setup(place);
    expect(await alice.preamble()).toBeUndefined();
    expect(await space.migrate('agent:bot:s9', 'agent:bot:u:alice')).toMatchObject({ moved: 1 });
    expect(shown(await alice.preamble())).toEqual(['older: of a session']);
  });

  it('migrate moves records and returns counts; a dry run moves nothing and returns the same counts', async () => {
    const place = newPlace();
    await fill(place);
    const { space, alice } = setup(place);
    const before = await contents(place);
    const dry = await space.migrate(OWN, OWN, { dryRun: true });
    expect(await contents(place)).toEqual(before);
    const done = await space.migrate('agent:bot:u:alice', 'agent:bot:u:alice');
    expect(done).toEqual(dry);
    expect(done).toMatchObject({ moved: 2, outdated: 1, left: 0 });
    expect(done.namespaces.map((namespace) => namespace.at(-1)).sort()).toEqual(['s1', 's2']);
    const after = await contents(place);
    expect(Object.keys(after).sort()).toEqual(
      Object.keys(before)
        .filter((name) => !/alice:s[12]$/.test(name) || name.includes('bot-2'))
        .concat('agent:bot:u:alice')
        .sort(),
    );
    expect(await alice.memory.get('home')).toMatchObject({ content: 'Lisbon' });
    expect((await alice.memory.get('home'))?.expiresAt).toBeDefined();
    expect(await alice.memory.get('pet')).toMatchObject({ content: 'a cat', turn: { thread: 't', index: 3 } });
    expect((await alice.memory.search('cat')).map(({ id }) => id)).toEqual(['pet']);
    expect(await space.migrate(OWN, OWN)).toMatchObject({ moved: 0, outdated: 0, namespaces: [] });
  });

  it('migrate moves histories', async () => {
    const place = newPlace();
    const session = place.store.within([...OWN, 's1']);
    await session.put({ id: 'oslo', content: 'Oslo', createdAt: '2020-01-01T00:00:00Z' });
    await session.put({ id: 'bergen', content: 'Bergen', supersedes: 'oslo' });
    await session.put({ id: 'turku', content: 'Turku', supersedes: 'bergen' });
    const before = await session.history('oslo');
    const { space } = setup(place);
    expect(await space.migrate(OWN, OWN)).toMatchObject({ moved: 3, outdated: 0, left: 0 });
    const moved = await place.store.within(OWN).history('turku');
    const plain = (records: typeof before) => records.map(({ version, updatedAt, ...record }) => record);
    expect(plain(moved)).toEqual(plain(before));
    expect((await session.list({ history: true })).items).toEqual([]);
    expect((await place.store.within(OWN).list()).items.map(({ id }) => id)).toEqual(['turku']);
  });

  it('migrate keeps newer records in the target and continues after an interruption', async () => {
    const place = newPlace();
    await fill(place);
    const { space, alice } = setup(place);
    // As after a killed migration: written to the target but not yet removed from the source.
    await alice.memory.put({ id: 'home', content: 'Lisbon' });
    expect(await space.migrate(OWN, OWN)).toMatchObject({ moved: 1, outdated: 2 });
    expect((await alice.memory.get('home'))?.content).toBe('Lisbon');
    expect(await space.children(OWN)).toEqual([]);
    // From elsewhere, such as a layout without users.
    await place.store.within(['agent', 'bot']).put({ id: 'old', content: 'of nobody', metadata: { source: 'x' } });
    await place.store.within(['agent', 'bot', 's9']).put({ id: 'older', content: 'of a session' });
    expect(await space.migrate('agent:bot', 'agent:bot:u:alice')).toMatchObject({ moved: 2 });
    expect(await alice.memory.get('old')).toMatchObject({ content: 'of nobody', metadata: { source: 'x' } });
    expect((await place.store.within(['agent', 'bot', 'u', 'alice2', 's1']).list()).items).toHaveLength(1);
  });
});
