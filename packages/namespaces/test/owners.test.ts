import { ConversationMemory } from '@keepsake/conversations';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { KeepsakeSaver } from '@keepsake/langgraph';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';
import { collected, refused } from './support.ts';

const PLACES = [
  ['user', 'alice'],
  ['user', 'alice', 'notes'],
  ['tenant', 'acme', 'user', 'alice'],
  ['user', 'alice2'],
  ['user', 'bob', 'user', 'alice'],
  ['people', 'alice', 'diary'],
  ['agent', 'bot', 'u', 'alice'],
  ['agent', 'bot', 'u', 'bob', 'user', 'alice'],
  ['pool', 'user', 'alice'],
  ['docs'],
];

async function erasedFor(options: Partial<MemorySpaceOptions>, id = 'alice'): Promise<string[]> {
  const store = new InMemoryStore({ name: 'memory' });
  for (const place of PLACES) await store.within(place).put({ content: `at ${place.join(':')}` });
  const space = new MemorySpace({ store, agents: {}, ...options });
  const exported: string[] = [];
  for await (const line of space.exportUser({ id })) exported.push(...(JSON.parse(line).namespace ? [line] : []));
  const { namespaces } = await space.eraseUser({ id });
  const names = namespaces.map(({ namespace }) => namespace.join(':')).sort();
  expect(exported.map((line) => JSON.parse(line).namespace).sort()).toEqual(names);
  const left = (await store.namespaces({ limit: 100 })).items.length;
  expect(left).toBe(PLACES.length - names.length);
  return names;
}

describe('namespaces that belong to a user', () => {
  it('are by default those of the space and user:<id> at any depth, with all below them', async () => {
    const pools = { 'pool:user:alice': { readers: ['*'] } };
    const agents = { bot: { sharedNamespaces: ['pool:user:alice'] } };
    expect(await erasedFor({ agents, pools })).toEqual([
      'agent:bot:u:alice',
      'tenant:acme:user:alice',
      'user:alice',
      'user:alice:notes',
    ]);
  });

  it('are those that match the patterns of `userNamespaces`', async () => {
    expect(await erasedFor({ userNamespaces: ['people:{user_id}'] })).toEqual([
      'agent:bot:u:alice',
      'people:alice:diary',
    ]);
    expect(await erasedFor({ userNamespaces: ['tenant:*:user:{user_id}'] })).toEqual([
      'agent:bot:u:alice',
      'tenant:acme:user:alice',
    ]);
    expect(await erasedFor({ userNamespaces: [] })).toEqual(['agent:bot:u:alice']);
  });

  it('belong to the first user on their path', async () => {
    expect(await erasedFor({}, 'bob')).toEqual(['agent:bot:u:bob:user:alice', 'user:bob:user:alice']);
  });

  it('are not those of the conversations of a tenant called user', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    const memory = new ConversationMemory({ store, tenant: 'user', fullSessionMemory: true });
    await memory
      .for('agent', { sessionId: 's', userId: 'bob' })
      .save({ status: 'completed', items: [{ said: 'hello' }] });
    const space = new MemorySpace({ store, agents: {} });
    const names = (await store.namespaces({ limit: 100 })).items.flatMap(({ namespace }) => namespace);
    for (const id of new Set(names)) expect(await space.eraseUser(id)).toMatchObject({ namespaces: [] });
    expect((await memory.listSessions({ userId: 'bob' })).items).toHaveLength(1);
  });

  it('are not those of threads of LangGraph called u, s or user', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    const saver = new KeepsakeSaver({ store });
    const ids = ['%user', 's', 'u', 'user'];
    for (const thread_id of ids) {
      const checkpoint = {
        ...emptyCheckpoint(),
        channel_values: { text: 'x'.repeat(70_000) },
        channel_versions: { text: 1 },
      };
      await saver.put(
        { configurable: { thread_id } },
        checkpoint,
        { source: 'loop', step: 0, parents: {} },
        { text: 1 },
      );
    }
    const before = await collected(saver.list({}));
    expect(before.map(({ config }) => config.configurable?.thread_id).sort()).toEqual(ids);
    const space = new MemorySpace({ store, agents: {} });
    for (const type of ['user', 'service'] as const) {
      expect(await space.eraseUser({ id: 'data', type })).toMatchObject({ namespaces: [] });
    }
    expect(await collected(new KeepsakeSaver({ store }).list({}))).toEqual(before);
  });

  it.each([['user'], ['user:{id}'], ['user:**:{user_id}'], ['{user_id}:{user_id}'], ['x{user_id}'], ['']])(
    'are not described by %j',
    async (pattern) => {
      const make = () =>
        new MemorySpace({ store: new InMemoryStore({ name: 'm' }), agents: {}, userNamespaces: [pattern] });
      await refused(make, 'INVALID_ARGUMENT', /userNamespaces/);
    },
  );
});

describe('sessions that belong to a user', () => {
  const IDS = [
    'user:alice',
    'user:alice:monday',
    'tenant:acme:user:alice:monday',
    'user:alice2:monday',
    'bot:u:alice:monday',
    'bot:u:bob:user',
    'user:bob:user:alice',
    'bot:user:alice',
    'notes',
    'a % that is no namespace: user:alice',
  ];

  async function erasedSessions(options: Partial<MemorySpaceOptions>, id = 'alice'): Promise<string[]> {
    const sessions = new InMemorySessionStore();
    for (const sessionId of IDS) await sessions.open(sessionId).addItems([{ said: 'hello' }]);
    const space = new MemorySpace({ store: new InMemoryStore({ name: 'm' }), sessions, agents: {}, ...options });
    const exported: string[] = [];
    for await (const line of space.exportUser(id)) {
      const { kind, sessionId } = JSON.parse(line);
      if (kind === 'session') exported.push(sessionId);
    }
    expect(IDS.filter((one) => space.sessionOwner(one)?.id === id).sort()).toEqual(exported.toSorted());
    expect((await space.eraseUser(id, { dryRun: true })).sessions).toBe(exported.length);
    expect(await space.eraseUser(id)).toMatchObject({ sessions: exported.length, sessionItems: exported.length });
    const left = (await sessions.list({ limit: 100 })).items.map(({ sessionId }) => sessionId);
    expect(left.sort()).toEqual(IDS.filter((one) => !exported.includes(one)).sort());
    return exported.sort();
  }

  it('are those of the space, and those whose id follows the same patterns as namespaces', async () => {
    const own = ['bot:u:alice:monday'];
    const byDefault = ['bot:user:alice', 'tenant:acme:user:alice:monday', 'user:alice', 'user:alice:monday'];
    expect(await erasedSessions({})).toEqual([...own, ...byDefault]);
    expect(await erasedSessions({ userNamespaces: [] })).toEqual(own);
    expect(await erasedSessions({ userNamespaces: ['tenant:*:user:{user_id}'] })).toEqual([
      ...own,
      'tenant:acme:user:alice:monday',
    ]);
    expect(await erasedSessions({}, 'bob')).toEqual(['bot:u:bob:user', 'user:bob:user:alice']);
  });

  it('are not those of an agent called user without authentication', async () => {
    const agents = { user: {}, owned: { name: 'user', owner: 'bot', namespace: 'of:{agent_owner}' } };
    const alices = ['bot:u:alice:monday', 'tenant:acme:user:alice:monday', 'user:alice:monday'];
    expect(await erasedSessions({ agents })).toEqual(alices);
    expect(await erasedSessions({ agents, anonymous: 'noop' })).toEqual(alices);
    expect(await erasedSessions({ agents, anonymous: 'noop' }, 'noop')).toEqual(['bot:user:alice', 'user:alice']);
  });
});

describe('userData', () => {
  it('can be a space over another store, which is erased and exported with the rest', async () => {
    const threads = new InMemoryStore({ name: 'threads' });
    for (const id of ['alice', 'bob']) await threads.within(['threads', id]).put({ content: `Said by ${id}` });
    const elsewhere = new MemorySpace({ store: threads, agents: {}, userNamespaces: ['threads:{user_id}'] });
    const store = new InMemoryStore({ name: 'm' });
    const space = new MemorySpace({ store, agents: {}, userData: { threads: elsewhere } });
    const lines = await collected(space.exportUser('alice'));
    expect(lines.at(-1)).toContain('Said by alice');
    expect(lines.join('')).not.toContain('bob');
    const { userData } = await space.eraseUser('alice');
    expect(userData.threads).toMatchObject({
      principal: { id: 'alice', type: 'user' },
      memories: 1,
      namespaces: [{ namespace: ['threads', 'alice'], kind: 'memory', recordCount: 1 }],
    });
    expect((await threads.namespaces()).items).toEqual([{ namespace: ['threads', 'bob'], recordCount: 1 }]);
  });

  it('is erased and exported with the rest, only for users', async () => {
    const calls: unknown[] = [];
    const data = {
      async eraseUser(userId: string, options: object) {
        calls.push([userId, options]);
        return { files: 3 };
      },
      async *exportUser(userId: string) {
        yield `{"file":"of ${userId}"}\n`;
      },
    };
    const space = new MemorySpace({ store: new InMemoryStore({ name: 'm' }), agents: {}, userData: { files: data } });
    expect((await space.eraseUser({ id: 'alice' }, { dryRun: true })).userData).toEqual({ files: { files: 3 } });
    expect((await space.eraseUser({ id: 'alice' })).userData).toEqual({ files: { files: 3 } });
    expect((await space.eraseUser({ id: 'alice', type: 'service' })).userData).toEqual({});
    expect(calls).toEqual([
      ['alice', { dryRun: true }],
      ['alice', { dryRun: false }],
    ]);
    const lines: string[] = [];
    for await (const line of space.exportUser({ id: 'alice' })) lines.push(line);
    expect(lines.slice(1)).toEqual(['{"kind":"data","name":"files"}\n', '{"file":"of alice"}\n']);
  });

  it('is refused without its methods', async () => {
    const make = () =>
      new MemorySpace({ store: new InMemoryStore({ name: 'm' }), agents: {}, userData: { files: {} as never } });
    await refused(make, 'INVALID_ARGUMENT', /userData\["files"\] must have eraseUser and exportUser/);
  });
});
