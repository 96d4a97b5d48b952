import { expect, it } from 'vitest';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';
import type { Place } from './backends/backend.ts';
import { onSomeBackends } from './backends/index.ts';
import { call, contents, refused } from './support.ts';

/* The statements that users know about memory namespaces, each in its original words. */

const AGENTS: MemorySpaceOptions['agents'] = {
  'research-assistant': { namespace: 'agent:{agent_name}:{session_id}', autoMemory: true },
  researcher: {
    namespace: 'agent:{agent_name}',
    owner: 'ines',
    sharedWith: ['*'],
    sharedNamespaces: ['org:engineering-docs', 'project:{agent_name}-shared'],
  },
};

function spaceOf({ store, sessions }: Place, options: Partial<MemorySpaceOptions> = {}): MemorySpace {
  return new MemorySpace({
    store,
    sessions,
    agents: AGENTS,
    pools: {
      'org:engineering-docs': { owner: 'ines', readers: ['*'], writers: ['*'] },
      'project:{agent_name}-shared': { readers: ['*'], writers: ['*'] },
    },
    teams: { 'research-team': { namespace: 'team:{team_name}', members: ['alice', 'bob'] } },
    ...options,
  });
}

const alice = { id: 'alice' };
const bob = { id: 'bob' };
const agent = 'research-assistant';

onSomeBackends((newPlace) => {
  it('two memories: the memory store is scoped by agent name + user ID and persists across sessions, the conversation history by session ID too', async () => {
    const space = spaceOf(newPlace());
    const first = space.as({ principal: alice, agent, sessionId: 's1' });
    await first.memory.put({ id: 'name', content: 'Her name is Alice' });
    await first.session('s1').addItems([{ role: 'user', content: 'I am Alice' }]);
    const second = space.as({ principal: alice, agent, sessionId: 's2' });
    expect((await second.memory.get('name'))?.content).toBe('Her name is Alice');
    expect(await second.session('s2').getItems()).toEqual([]);
    expect(await second.session('s1').getItems()).toEqual([{ role: 'user', content: 'I am Alice' }]);
    expect(await space.as({ principal: alice, agent: 'researcher' }).memory.get('name')).toBeUndefined();
  });

  it('template agent:{agent_name}:{session_id}: the memory namespace is agent:research-assistant:u:alice, always user-scoped, no session', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    const scope = space.as({ principal: alice, agent, sessionId: 's1' });
    expect(scope.namespace).toEqual(['agent', 'research-assistant', 'u', 'alice']);
    await call(scope, 'remember', { key: 'name', content: 'Alice' });
    expect(await contents(place)).toEqual({ 'agent:research-assistant:u:alice': ['Alice'] });
  });

  it('noop auth: agent:research-assistant:u:noop, all dev users share; an explicit choice, never a fallback', async () => {
    const place = newPlace();
    const open = spaceOf(place, { anonymous: 'noop' });
    await call(open.as({ agent }), 'remember', { key: 'k', content: 'shared by developers' });
    expect(await call(open.as({ agent }), 'recall', { key: 'k' })).toBe('shared by developers');
    expect(await contents(place)).toEqual({ 'agent:research-assistant:u:noop': ['shared by developers'] });
    await refused(() => spaceOf(place).as({ agent }), 'INVALID_ARGUMENT', /Missing principal\..*anonymous: 'noop'/);
    await refused(() => open.as({ agent, principal: { id: 'noop' } }), 'INVALID_ARGUMENT', /without a principal/);
  });

  it('remember, recall and search_memory read and write there: "my name is Alice" persists across all of her sessions, but is invisible to other users', async () => {
    const space = spaceOf(newPlace());
    await call(space.as({ principal: alice, agent, sessionId: 's1' }), 'remember', {
      key: 'name',
      content: 'The name of the user is Alice',
    });
    const later = space.as({ principal: alice, agent, sessionId: 's2' });
    expect(await call(later, 'recall', { key: 'name' })).toBe('The name of the user is Alice');
    expect(await call(later, 'search_memory', { query: 'name of the user' })).toContain('Alice');
    const other = space.as({ principal: bob, agent, sessionId: 's1' });
    expect(await call(other, 'recall', { key: 'name' })).toBe("No memory found for key 'name'.");
    expect(await call(other, 'search_memory', { query: 'name of the user' })).not.toContain('Alice');
    expect(await call(other, 'list_memories')).not.toContain('Alice');
    expect(await other.preamble()).toBeUndefined();
  });

  it('actor_id is {agent_name}:u:{user_id} when auth is active, {agent_name} without auth, with the owner in front', async () => {
    const place = newPlace();
    const space = spaceOf(place, { anonymous: 'noop' });
    expect(space.as({ principal: alice, agent }).actorId).toBe('research-assistant:u:alice');
    expect(space.as({ agent }).actorId).toBe('research-assistant');
    expect(space.as({ principal: alice, agent: 'researcher' }).actorId).toBe('ines:researcher:u:alice');
    await space
      .as({ principal: alice, agent })
      .session('s1')
      .addItems([{ content: 'hers' }]);
    await space
      .as({ agent })
      .session('s1')
      .addItems([{ content: 'anybody' }]);
    const stored = (await place.sessions.list()).items.map(({ sessionId }) => sessionId).sort();
    expect(stored).toEqual(['research-assistant:s1', 'research-assistant:u:alice:s1']);
  });

  it('auto_memory: each turn is stored; on new conversations, recent turns are loaded from the same session', async () => {
    const space = spaceOf(newPlace());
    const scope = space.as({ principal: alice, agent });
    await scope.turn({ sessionId: 's1', input: 'I am Alice' }, async () => 'Hello Alice');
    let read: unknown;
    await scope.turn({ sessionId: 's1', input: 'Who am I?' }, async (messages) => {
      read = messages;
      return 'Alice';
    });
    expect(read).toEqual([
      { role: 'user', content: 'I am Alice' },
      { role: 'assistant', content: 'Hello Alice' },
      { role: 'user', content: 'Who am I?' },
    ]);
    expect(await scope.session('s1').getItems()).toHaveLength(4);
  });

  it('different sessions have independent histories', async () => {
    const space = spaceOf(newPlace());
    const scope = space.as({ principal: alice, agent });
    await scope.turn({ sessionId: 's1', input: 'one' }, async () => 'uno');
    await scope.turn({ sessionId: 's2', input: 'two' }, async () => 'dos');
    expect((await scope.session('s1').getItems()).map(({ content }) => content)).toEqual(['one', 'uno']);
    expect((await scope.session('s2').getItems()).map(({ content }) => content)).toEqual(['two', 'dos']);
    await scope.session('s1').clearSession();
    expect(await scope.session('s2').getItems()).toHaveLength(2);
  });

  it('memory context injection: a new session knows what it stored before, as a preamble', async () => {
    const space = spaceOf(newPlace());
    const scope = space.as({ principal: alice, agent });
    await call(scope, 'remember', { key: 'seat', content: 'Prefers aisle seats' });
    let given = '';
    await scope.turn({ sessionId: 'new', input: 'Book me a seat' }, async (messages) => {
      given = String(messages.at(-1)?.content);
      return 'Booked';
    });
    expect(given).toMatch(/^<memory>\n<entry[^>]*>seat: Prefers aisle seats<\/entry>\n<\/memory>\n\nBook me a seat$/);
    expect(await scope.session('new').getItems()).toEqual([
      { role: 'user', content: 'Book me a seat' },
      { role: 'assistant', content: 'Booked' },
    ]);
  });

  it('if the memory namespace is empty, child namespaces are searched too', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    const scope = space.as({ principal: alice, agent });
    await place.store.within([...scope.namespace, 'abc123']).put({ id: 'a', content: 'from session abc123' });
    await place.store.within([...scope.namespace, 'def456']).put({ id: 'b', content: 'from session def456' });
    expect(await scope.preamble()).toContain('from session abc123');
    expect(await scope.preamble()).toContain('from session def456');
    await scope.memory.put({ id: 'c', content: 'of now' });
    expect(await scope.preamble()).not.toContain('abc123');
  });

  it('the child search has a delimiter: agent:bot never matches the memories of agent:bot-2', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    await place.store.within(['agent', 'bot', 'abc']).put({ content: 'of bot' });
    await place.store.within(['agent', 'bot-2', 'abc']).put({ content: 'of bot-2' });
    await place.store.within(['agent', 'bot-2']).put({ content: 'of bot-2' });
    await place.store.within(['agent', 'bot', 'u', 'alice']).put({ content: 'of alice' });
    const found = await space.children('agent:bot');
    expect(found).toEqual([{ namespace: ['agent', 'bot', 'abc'], recordCount: 1 }]);
  });

  it('two users of one agent have isolated private memory, and isolated conversation histories', async () => {
    const space = spaceOf(newPlace());
    const [hers, his] = [space.as({ principal: alice, agent }), space.as({ principal: bob, agent })];
    await hers.memory.put({ id: 'k', content: 'of alice' });
    await his.memory.put({ id: 'k', content: 'of bob' });
    await hers.session('s1').addItems([{ content: 'of alice' }]);
    expect((await hers.memory.get('k'))?.content).toBe('of alice');
    expect(await his.session('s1').getItems()).toEqual([]);
    expect((await his.sessions.list()).items).toEqual([]);
    expect((await hers.sessions.list()).items).toMatchObject([{ sessionId: 's1', itemCount: 1 }]);
  });

  it('shared_with controls who can use the agent, not who sees the private memory', async () => {
    const place = newPlace();
    const agents = (sharedWith?: readonly string[]) => ({
      bot: { owner: 'alice', ...(sharedWith && { sharedWith }) },
    });
    const own = spaceOf(place, { agents: agents(), pools: {} });
    const shared = spaceOf(place, { agents: agents(['*']), pools: {} });
    await own.as({ principal: alice, agent: 'bot' }).memory.put({ id: 'k', content: 'of alice' });
    await refused(() => own.as({ principal: bob, agent: 'bot' }), 'INVALID_ARGUMENT', /not shared/);
    const his = shared.as({ principal: bob, agent: 'bot' });
    expect(his.namespace).toEqual(['agent', 'bot', 'u', 'bob']);
    expect(await his.memory.get('k')).toBeUndefined();
    expect(shared.as({ principal: alice, agent: 'bot' }).namespace).toEqual(
      own.as({ principal: alice, agent: 'bot' }).namespace,
    );
  });

  it('the worker with all three: private, team and pool, each write in its own place', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    const worker = space.as({ principal: alice, agent: 'researcher', team: 'research-team' });
    await call(worker, 'remember', { key: 'my favorite color', content: 'teal' });
    await call(worker, 'share_finding', { key: 'budget', content: '40,000' });
    await call(worker, 'share_to', { pool: 'org:engineering-docs', key: 'api-spec', content: 'OpenAPI 3.1' });
    expect(await contents(place)).toEqual({
      'agent:researcher:u:alice': ['teal'],
      'team:research-team': ['40,000'],
      'org:engineering-docs': ['OpenAPI 3.1'],
    });
  });

  it('remember: only Alice sees it; share_finding: everyone on the team, forever; share_to: every user of an agent with that pool', async () => {
    const space = spaceOf(newPlace());
    const inTeam = { agent: 'researcher', team: 'research-team' };
    const hers = space.as({ principal: alice, ...inTeam, runId: 'run 1' });
    await call(hers, 'remember', { key: 'k', content: 'private' });
    await call(hers, 'share_finding', { key: 'k', content: 'for the team' });
    await call(hers, 'share_to', { pool: 'project:researcher-shared', key: 'k', content: 'for the pool' });
    const his = space.as({ principal: bob, ...inTeam, runId: 'run 2' });
    expect(await call(his, 'recall', { key: 'k' })).toBe("No memory found for key 'k'.");
    expect(await call(his, 'read_shared', { key: 'k' })).toBe('k: for the team (by u:alice)');
    expect(await call(his, 'read_from_pool', { pool: 'project:researcher-shared', key: 'k' })).toBe(
      'k: for the pool (by u:alice)',
    );
    const carol = space.as({ principal: { id: 'carol' }, agent: 'researcher' });
    expect(await call(carol, 'read_from_pool', { pool: 'project:researcher-shared', key: 'k' })).toBe(
      'k: for the pool (by u:alice)',
    );
    await refused(
      () => space.as({ principal: { id: 'carol' }, ...inTeam }),
      'INVALID_ARGUMENT',
      /not a member of team/,
    );
  });

  it('include {session_id} only for session-isolated memory stores', async () => {
    const place = newPlace();
    const isolated = { namespace: 'agent:{agent_name}:{session_id}', sessionIsolated: true };
    const space = spaceOf(place, { agents: { bot: isolated }, pools: {} });
    const scope = space.as({ principal: alice, agent: 'bot', sessionId: 's1' });
    expect(scope.namespace).toEqual(['agent', 'bot', 's1', 'u', 'alice']);
    await scope.memory.put({ id: 'k', content: 'of s1' });
    const other = space.as({ principal: alice, agent: 'bot', sessionId: 's2' });
    expect(await other.memory.get('k')).toBeUndefined();
    await refused(() => space.as({ principal: alice, agent: 'bot' }), 'INVALID_ARGUMENT', /needs a sessionId/);
  });

  it('the memory panel shows all namespaces for an agent, including child namespaces', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    const worker = space.as({ principal: alice, agent: 'researcher' });
    await worker.memory.putMany([{ content: 'one' }, { content: 'two' }]);
    await worker.pool('org:engineering-docs').put({ content: 'spec' });
    await place.store.within(['agent', 'researcher', 'abc123']).put({ content: 'before the split' });
    await place.store.within(['agent', 'researcher-2', 'u', 'alice']).put({ content: 'of another agent' });
    const views = await space.inspect({ agent: 'researcher' });
    expect(views.map(({ name, kind, recordCount }) => [name, kind, recordCount])).toEqual([
      ['agent:researcher:abc123', 'child', 1],
      ['agent:researcher:u:alice', 'private', 2],
      ['org:engineering-docs', 'pool', 1],
      ['project:researcher-shared', 'pool', 0],
    ]);
    expect(views[1]?.principal).toEqual({ id: 'alice', type: 'user' });
  });

  it('the memory panel shows what is in a namespace by page, and every team, user and agent', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    const team = 'research-team';
    const one = space.as({ principal: alice, agent: 'researcher', team });
    const other = space.as({ principal: bob, agent: 'researcher' });
    await one.memory.putMany([{ content: 'one' }, { content: 'two' }, { content: 'three' }]);
    await other.memory.put({ content: 'of Bob' });
    await call(one, 'share_finding', { key: 'budget', content: '40,000' });
    await place.store.within(['app', 'u', 'alice']).put({ content: 'of an application' });
    await place.store.within(['attic']).put({ content: 'of nobody' });

    const all = await space.inspect();
    expect(all.map(({ name, kind, agents, recordCount }) => [name, kind, agents, recordCount])).toEqual([
      ['agent:researcher:u:alice', 'private', ['researcher'], 3],
      ['agent:researcher:u:bob', 'private', ['researcher'], 1],
      ['app:u:alice', 'other', [], 1],
      ['attic', 'other', [], 1],
      ['team:research-team', 'team', [], 1],
      ['org:engineering-docs', 'pool', ['researcher'], 0],
      ['project:researcher-shared', 'pool', ['researcher'], 0],
    ]);
    const hers = await space.inspect({ principal: alice });
    expect(hers.map(({ name }) => name)).toEqual(['agent:researcher:u:alice', 'app:u:alice']);
    expect(await space.actors()).toEqual([
      { agents: ['researcher'], principal: { id: 'alice', type: 'user' }, namespaces: 1, recordCount: 3 },
      { agents: ['researcher'], principal: { id: 'bob', type: 'user' }, namespaces: 1, recordCount: 1 },
      { agents: [], principal: { id: 'alice', type: 'user' }, namespaces: 1, recordCount: 1 },
      { agents: [], namespaces: 1, recordCount: 1 },
    ]);
    const first = await space.records('agent:researcher:u:alice', { limit: 2 });
    expect(first.items.map(({ content }) => content)).toEqual(['three', 'two']);
    const second = await space.records(['agent', 'researcher', 'u', 'alice'], { limit: 2, cursor: first.cursor });
    expect(second.items.map(({ content }) => content)).toEqual(['one']);
    await refused(() => space.inspect({ agent: 'nobody' }), 'INVALID_ARGUMENT', /Available agents: .*researcher/);
    await refused(() => space.inspect({ principal: { id: '' } }), 'INVALID_ARGUMENT', /principal.id/);
  });
});
