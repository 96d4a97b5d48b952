import { ConversationMemory } from '@keepsake/conversations';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { KeepsakeSaver } from '@keepsake/langgraph';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';
import { collected, refused } from './support.ts';

const PLACES = [
  ['u', 'alice'],
  ['u', 'alice', 'notes'],
  ['tenant', 'acme', 'u', 'alice'],
  ['u', 'alice2'],
  ['u', 'bob', 'u', 'alice'],
  ['people', 'alice', 'diary'],
  ['tenant', 'acme', 'people', 'alice'],
  ['u', 'bob', 'people', 'alice'],
  ['agent', 'bot', 'u', 'alice'],
  ['pool', 'people', 'alice'],
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
  const OF_ALICE = ['agent:bot:u:alice', 'tenant:acme:u:alice', 'u:alice', 'u:alice:notes'];

  it('are those with u:<id> at any depth, with all below them', async () => {
    expect(await erasedFor({})).toEqual(OF_ALICE);
  });

  it('are also those that match the patterns of `userNamespaces`, but not declared pools', async () => {
    const namespacesOf = (...more: string[]) => [...OF_ALICE, ...more].sort();
    expect(await erasedFor({ userNamespaces: ['people:{user_id}'] })).toEqual(namespacesOf('people:alice:diary'));
    expect(await erasedFor({ userNamespaces: ['tenant:*:people:{user_id}'] })).toEqual(
      namespacesOf('tenant:acme:people:alice'),
    );
    const pools = { 'pool:people:alice': { readers: ['*'] } };
    const agents = { bot: { sharedNamespaces: ['pool:people:alice'] } };
    expect(await erasedFor({ agents, pools, userNamespaces: ['**:people:{user_id}'] })).toEqual(
      namespacesOf('people:alice:diary', 'tenant:acme:people:alice'),
    );
  });

  it('belong to the first user on their path', async () => {
    expect(await erasedFor({ userNamespaces: ['**:people:{user_id}'] }, 'bob')).toEqual([
      'u:bob:people:alice',
      'u:bob:u:alice',
    ]);
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
    'u:alice',
    'u:alice:monday',
    'tenant:acme:u:alice:monday:late',
    'u:alice2:monday',
    'bot:u:alice:monday',
    'bot:u:bob:user',
    'team:o:alice:monday',
    'u:bob:u:alice',
    'bot:u:alice',
    'people:alice',
    'people:alice:monday',
    'notes',
    'a % that is no namespace: u:alice',
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

  const OF_ALICE = [
    'bot:u:alice',
    'bot:u:alice:monday',
    'tenant:acme:u:alice:monday:late',
    'u:alice',
    'u:alice:monday',
  ];

  it('are those of the space, and those whose id follows the same rule as namespaces', async () => {
    expect(await erasedSessions({})).toEqual(OF_ALICE);
    expect(await erasedSessions({ userNamespaces: ['people:{user_id}'] })).toEqual(
      [...OF_ALICE, 'people:alice', 'people:alice:monday'].sort(),
    );
    expect(await erasedSessions({}, 'bob')).toEqual(['bot:u:bob:user', 'u:bob:u:alice']);
  });

  it('are not those of an agent without authentication, whatever it is called', async () => {
    const agents = { people: {}, owned: { name: 'people', owner: 'alice', namespace: 'of:{agent_owner}' } };
    const options = { agents, userNamespaces: ['**:people:{user_id}'] };
    expect(await erasedSessions(options)).toEqual([...OF_ALICE, 'people:alice:monday'].sort());
    expect(await erasedSessions({ ...options, anonymous: 'noop' }, 'noop')).toEqual(['people:alice']);
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
    expect((await space.eraseUser({ id: 'alice' }, { compact: false })).userData).toEqual({ files: { files: 3 } });
    expect((await space.eraseUser({ id: 'alice', type: 'service' })).userData).toEqual({});
    expect(calls).toEqual([
      ['alice', { dryRun: true, compact: true }],
      ['alice', { dryRun: false, compact: true }],
      ['alice', { dryRun: false, compact: false }],
    ]);
    const [, ...lines] = await collected(space.exportUser({ id: 'alice' }));
    expect(lines).toEqual(['{"kind":"data","name":"files"}\n', '{"file":"of alice"}\n']);
    expect(await collected(space.exportUser({ id: 'alice', type: 'service' }))).toHaveLength(1);
  });

  it('is refused without its methods', async () => {
    const make = () =>
      new MemorySpace({ store: new InMemoryStore({ name: 'm' }), agents: {}, userData: { files: {} as never } });
    await refused(make, 'INVALID_ARGUMENT', /userData\["files"\] must have eraseUser and exportUser/);
  });
});
