// Two users of one agent, a pool and a team in one store: who sees what.
import assert from 'node:assert/strict';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { MemorySpace } from '@keepsake/namespaces';

const space = new MemorySpace({
  store: new InMemoryStore({ name: 'memory' }),
  sessions: new InMemorySessionStore(),
  agents: { guide: { namespace: 'agent:{agent_name}:{session_id}', sharedNamespaces: ['org:docs'], owner: undefined } },
  pools: { 'org:docs': { readers: ['*'], writers: ['alice'] } },
  teams: { crew: { members: ['alice', 'bob'] } },
});
const as = (id = 'alice') => space.as({ principal: { id }, agent: 'guide', team: 'crew' });
const toolsOf = (id = 'alice') =>
  new Map(
    as(id)
      .tools()
      .map((tool) => [tool.name, tool]),
  );

const alice = as('alice');
const [hers, his] = [toolsOf('alice'), toolsOf('bob')];
assert.deepEqual(alice.namespace, ['agent', 'guide', 'u', 'alice']);
await hers.get('remember')?.execute({ key: 'seat', content: 'Prefers aisle seats' });
await hers.get('share_to')?.execute({ pool: 'org:docs', key: 'api', content: 'OpenAPI 3.1' });
await hers.get('share_finding')?.execute({ key: 'budget', content: '40,000' });
await alice.session('s1').addItems([{ role: 'user', content: 'Hello' }]);

assert.equal(await his.get('recall')?.execute({ key: 'seat' }), "No memory found for key 'seat'.");
assert.equal(
  await his.get('read_from_pool')?.execute({ pool: 'org:docs', key: 'api' }),
  'api: OpenAPI 3.1 (by u:alice)',
);
assert.equal(await his.get('read_shared')?.execute({ key: 'budget' }), 'budget: 40,000 (by u:alice)');
await assert.rejects(as('bob').pool('org:docs').add('x'), { code: 'READ_ONLY' });
assert.match(String(await alice.preamble()), /seat: Prefers aisle seats/);
await space.run({ principal: { id: 'bob' }, agent: 'guide' }, async () => {
  assert.equal(space.current().principal.id, 'bob');
});

const receipt = await space.eraseUser({ id: 'alice' }, { sharedEntries: true });
assert.deepEqual([receipt.memories, receipt.sharedEntries, receipt.sessions], [1, 2, 1]);
assert.equal(await alice.preamble(), undefined);
