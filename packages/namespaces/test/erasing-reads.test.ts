import { formatNamespace } from '@keepsake/core';
import { AbstractRecordStore } from '@keepsake/core/adapter';
import { allItems } from '@keepsake/internal';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MemorySpace } from '../src/index.ts';
import type { Place } from './backends/backend.ts';
import { onEveryBackend } from './backends/index.ts';
import { collected } from './support.ts';

const USERS = 40;
const agents = { bot: {}, other: { owner: 'ines', sharedWith: ['*'] } };

function spaceOf({ store, sessions }: Place): MemorySpace {
  return new MemorySpace({ store, sessions, agents, userNamespaces: ['people:{user_id}'] });
}

/** Stores what users have in a space and outside of it. */
async function fill(place: Place): Promise<void> {
  const space = spaceOf(place);
  const say = { role: 'user', content: 'tea' };
  const ids = ['alice', ...Array.from({ length: USERS - 1 }, (_, n) => (n % 2 === 0 ? `alice${n}` : `user ${n}`))];
  await Promise.all(
    ids.map(async (id) => {
      for (const agent of ['bot', 'other']) {
        const scope = space.as({ principal: { id }, agent });
        await scope.memory.put({ content: 'tea' });
        await scope.session('s1').addItems([say]);
      }
      await place.store.within(['people', id]).put({ content: 'tea' });
      await place.sessions.open(`people:${encodeURIComponent(id)}:s1`).addItems([say]);
    }),
  );
}

/** A place whose stores {@link watch} tells from those of tests whose work has not ended. */
const WATCHED = 'watched';

function watched({ store, ...place }: Place): Place {
  return { ...place, store: store.within([], { name: WATCHED }) };
}

/** The namespaces that calls of watched stores list or read, and the ids of sessions that lists return. */
function watch({ sessions }: Place) {
  const seen = { namespaces: [] as (readonly string[])[], read: [] as string[], sessions: [] as string[] };
  const prototype = AbstractRecordStore.prototype;
  const { namespaces } = prototype;
  vi.spyOn(prototype, 'namespaces').mockImplementation(async function (this: AbstractRecordStore, options) {
    const page = await namespaces.call(this, options);
    if (this.name === WATCHED) seen.namespaces.push(...page.items.map(({ namespace }) => namespace));
    return page;
  });
  for (const name of ['get', 'list', 'search', 'clear', 'delete'] as const) {
    const method = prototype[name] as (...given: unknown[]) => unknown;
    vi.spyOn(prototype, name).mockImplementation(function (this: AbstractRecordStore, ...given: unknown[]) {
      if (this.name === WATCHED) seen.read.push(this.namespace.join(':'));
      return method.apply(this, given) as never;
    });
  }
  const list = sessions.list.bind(sessions);
  vi.spyOn(sessions, 'list').mockImplementation(async (options) => {
    const page = await list(options);
    seen.sessions.push(...page.items.map(({ sessionId }) => sessionId));
    return page;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return seen;
}

onEveryBackend((newPlace) => {
  it('eraseUser lists and reads no namespace and no session of any of 40 other users', async () => {
    const place = watched(newPlace());
    await fill(place);
    const space = spaceOf(place);
    const own = ['agent:bot:u:alice', 'agent:other:u:alice', 'people:alice'];
    const dry = watch(place);
    expect(await space.eraseUser('alice', { dryRun: true })).toMatchObject({ memories: 3, sessions: 3 });
    expect(dry.namespaces.map((one) => one.join(':')).sort()).toEqual(own);
    expect(dry.sessions).toHaveLength(3);
    expect(dry.read).toEqual([]);
    vi.restoreAllMocks();
    const seen = watch(place);
    expect(await space.eraseUser('alice')).toMatchObject({ memories: 3, sessions: 3 });
    expect(seen.namespaces.every((one) => one.includes('alice'))).toBe(true);
    expect(seen.sessions.every((one) => one.split(':').includes('alice'))).toBe(true);
    expect([...new Set(seen.read)].sort()).toEqual(own);
    vi.restoreAllMocks();
    const left = await collected(allItems((page) => place.store.namespaces({ ...page, empty: true })));
    expect(left).toHaveLength(3 * (USERS - 1));
    expect(await collected(allItems((page) => place.sessions.list(page)))).toHaveLength(3 * (USERS - 1));
  });

  it('inspect lists no namespaces of others, and an export reads none', async () => {
    const place = watched(newPlace());
    await fill(place);
    const space = spaceOf(place);
    const seen = watch(place);
    expect(await space.inspect({ principal: { id: 'alice' } })).toHaveLength(3);
    expect(seen.namespaces.every((one) => one.includes('alice'))).toBe(true);
    expect(seen.namespaces).toHaveLength(3);
    const lines = await collected(space.exportUser('alice'));
    expect(lines.filter((line) => line.startsWith('{"kind":"memory"'))).toHaveLength(3);
    expect(lines.filter((line) => line.startsWith('{"kind":"session"'))).toHaveLength(3);
    // Its own, and the root, which is shared.
    expect([...new Set(seen.read)].sort()).toEqual(['', 'agent:bot:u:alice', 'agent:other:u:alice', 'people:alice']);
    expect(seen.sessions).toHaveLength(3);
  });

  it('export and erasure of shared entries pass over the namespaces of 400 other users, and miss none that is shared', async () => {
    const place = watched(newPlace());
    const { store } = place;
    const shared = [
      ['aardvark'],
      ['agent', 'bot', 'u-turn'],
      ['agent', 'zebra'],
      ['team', 'x', 'o', '%u', 'below'],
      ['zoo', 'u'],
    ];
    const writtenBy = 'u:alice';
    for (const path of [...shared, []]) await store.within(path).put({ content: 'tea', metadata: { writtenBy } });
    for (const agent of ['bot', 'other']) {
      const put = (n: number) => store.within(['agent', agent, 'u', `user ${n}`]).put({ content: 'tea' });
      await Promise.all(Array.from({ length: 400 }, (_, n) => put(n)));
    }
    await store.within(['agent', 'bot', 'u', 'user 7', 'notes']).put({ content: 'tea', metadata: { writtenBy } });
    const space = spaceOf(place);
    const seen = watch(place);
    const lines = await collected(space.exportUser('alice'));
    const names = lines.filter((line) => line.startsWith('{"kind":"shared"')).map((line) => JSON.parse(line).namespace);
    expect(names.sort()).toEqual(['', ...shared.map(formatNamespace)].sort());
    expect(seen.namespaces).toHaveLength(shared.length);
    seen.namespaces.length = 0;
    const receipt = await space.eraseUser('alice', { sharedEntries: true });
    expect(receipt).toMatchObject({ memories: 0, sharedEntries: names.length });
    expect(new Set(seen.namespaces.map((one) => one.join(':'))).size).toBe(shared.length);
    expect(seen.read.some((path) => path.includes('user'))).toBe(false);
  });

  it('a namespace and a session are found by the user as long as they are listed, whoever writes and clears them meanwhile', async () => {
    const { store, sessions } = newPlace();
    const paths = [
      ['u', 'alice'],
      ['u', 'alice', 'notes'],
      ['agent', 'bot', 'u', 'alice'],
    ];
    const ids = ['bot:u:alice:s1', 'u:alice:s2'];
    const say = { role: 'user', content: 'tea' };
    const work = async (start: number) => {
      for (let n = start; n < start + 12; n++) {
        const place = store.within(paths[n % paths.length] as string[]);
        const id = ids[n % ids.length] as string;
        await place.put({ id: `${n % 2}`, content: 'tea' });
        await sessions.open(id).addItems([say]);
        if (n % 3 === 0) await place.clear();
        else if (n % 3 === 1) await place.delete(`${n % 2}`);
        if (n % 4 === 0) await sessions.delete(id);
        const some = await place.put({ id: 'last', content: 'tea' });
        if (n % 5 === 0) await place.delete(some.id);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, start) => work(start)));
    const all = await collected(allItems((page) => store.namespaces({ ...page, empty: true })));
    const found = await collected(allItems((page) => store.namespaces({ ...page, empty: true, segment: 'alice' })));
    expect(found).toEqual(all);
    const [every, own] = [await sessions.list(), await sessions.list({ segment: 'alice' })];
    expect(own).toEqual(every);
    const receipt = await new MemorySpace({ store, sessions, agents }).eraseUser('alice');
    expect(receipt.sessions).toBe(every.items.length);
    expect((await store.namespaces({ empty: true })).items).toEqual([]);
    expect((await sessions.list()).items).toEqual([]);
  });
});
