import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';
import { refused } from './support.ts';

const store = new InMemoryStore({ name: 'memory' });
const make = (options: Partial<MemorySpaceOptions>) => new MemorySpace({ store, agents: { bot: {} }, ...options });
const namespaceOf = (namespace: string, context: object = {}) =>
  make({ agents: { bot: { namespace } } }).as({ principal: { id: 'alice' }, agent: 'bot', ...context }).namespace;

describe('templates', () => {
  it('take each placeholder', () => {
    const agents = {
      bot: {
        owner: 'ines',
        sharedWith: ['*'],
        namespace: '{agent_owner}:{agent_name}:{user_id}:{team_name}:run-{run_id}',
      },
    };
    const space = make({ agents, teams: { crew: { members: ['*'] } } });
    const scope = space.as({ principal: { id: 'alice' }, agent: 'bot', team: 'crew', runId: '7' });
    expect(scope.namespace).toEqual(['ines', 'bot', 'alice', 'crew', 'run-7', 'u', 'alice']);
  });

  it('are read in one pass: a placeholder inside a value is text', () => {
    expect(namespaceOf('run:{run_id}', { runId: '{user_id}' })).toEqual(['run', '{user_id}', 'u', 'alice']);
    expect(namespaceOf('run:{run_id}', { runId: '$&' })).toEqual(['run', '$&', 'u', 'alice']);
  });

  it('keep each value within its segment', () => {
    expect(namespaceOf('run:{run_id}', { runId: 'a:b/c' })).toEqual(['run', 'a:b/c', 'u', 'alice']);
    expect(namespaceOf('run:{run_id}', { runId: 'u' })).toEqual(['run', '%u', 'u', 'alice']);
    expect(namespaceOf('run:{run_id}', { runId: '%u' })).toEqual(['run', '%%u', 'u', 'alice']);
    expect(namespaceOf('run:{run_id}', { runId: 'keepsake-outbox' })).toEqual([
      'run',
      '%keepsake-outbox',
      'u',
      'alice',
    ]);
  });

  it('are refused where they hold what nobody knows, or what is reserved', async () => {
    const bad: [template: string, words: RegExp][] = [
      ['agent:{agent}', /no placeholder "\{agent\}" here\. There are: \{agent_name\}/],
      ['agent:{constructor}', /no placeholder/],
      ['agent:{agent_name}-{run_id}', /one \{placeholder\}/],
      ['agent:{agent_name', /one \{placeholder\}/],
      ['agent:}{', /one \{placeholder\}|no placeholder/],
      ['agent:{}', /no placeholder/],
      ['agent:u:x', /"u" is reserved/],
      ['u', /"u" is reserved/],
      ['%u', /./],
      ['a::b', /Segment 1 of the namespace is empty/],
      ['a/b', /formatNamespace/],
      ['', /is to be a template/],
      ['{session_id}', /nothing is left/],
    ];
    for (const [template, words] of bad) await refused(() => namespaceOf(template), 'INVALID_ARGUMENT', words);
  });

  it('refuse a value that is missing, empty or too long', async () => {
    await refused(() => namespaceOf('run:{run_id}'), 'INVALID_ARGUMENT', /needs a runId/);
    await refused(() => namespaceOf('run:{agent_owner}'), 'INVALID_ARGUMENT', /needs an agent that has an owner/);
    await refused(() => namespaceOf('run:{team_name}'), 'INVALID_ARGUMENT', /needs a team/);
    await refused(() => namespaceOf('run:{run_id}', { runId: '' }), 'INVALID_ARGUMENT', /runId is to be a text/);
    await refused(() => namespaceOf('r:{run_id}', { runId: 'x'.repeat(257) }), 'INVALID_ARGUMENT', /256/);
  });
});

describe('principals', () => {
  it('are refused without an id, of another type, or with one that is no text', async () => {
    const as = (principal: unknown) => make({}).as({ principal: principal as never, agent: 'bot' });
    for (const id of ['', undefined, 7, 'a\0b', '\ud800', 'x'.repeat(257)]) {
      await refused(() => as({ id }), 'INVALID_ARGUMENT', /principal\.id/);
    }
    await refused(() => as({ id: 'a', type: 'admin' }), 'INVALID_ARGUMENT', /'user' or 'service'/);
    await refused(() => as(null), 'INVALID_ARGUMENT', /principal/);
    await refused(() => as('alice'), 'INVALID_ARGUMENT', /principal\.id/);
  });

  it('are told apart by every character', () => {
    const space = make({});
    const ids = ['alice', 'Alice', 'alice ', 'é', 'e\u0301', 'a:b', 'a%3Ab', 'u', '%u'];
    const namespaces = ids.map((id) => space.as({ principal: { id }, agent: 'bot' }).namespace);
    expect(namespaces).toEqual(ids.map((id) => ['agent', 'bot', 'u', id]));
  });
});

describe('what is refused at configuration', () => {
  const everyone = { readers: ['*'], writers: ['*'] };
  const declares = (pool: string) => ({ bot: { sharedNamespaces: [pool] } });
  const bad: [what: string, options: Partial<MemorySpaceOptions>, words: RegExp][] = [
    ['no store', { store: {} as never }, /store is to be a record store/],
    ['agents that are a list', { agents: [] as never }, /agents, pools and teams/],
    ['an agent that is none', { agents: { bot: 'x' as never } }, /Agent "bot" is to be an object/],
    ['an agent without a name', { agents: { '': {} } }, /its name/],
    ['a pool without an access list', { agents: declares('docs') }, /"docs" has no access list/],
    ['a pool that is called as a field of all objects', { agents: declares('constructor') }, /no access list/],
    ['a pool by its user', { agents: declares('x:{user_id}'), pools: {} }, /no placeholder "\{user_id\}"/],
    ['a pool of everyone', { pools: { docs: { owner: '*' } } }, /everyone can't be its owner/],
    ['a pool template that no agent declares', { pools: { '{agent_name}': everyone } }, /no agent declares it/],
    ['a writer who does not read', { pools: { docs: { readers: ['bob'], writers: ['*'] } } }, /writes reads, too/],
    ['a writer who does not read, by id', { pools: { docs: { writers: ['bob'] } } }, /writes reads, too/],
    ['readers that are a text', { pools: { docs: { readers: '*' as never } } }, /readers is to be an array/],
    ['a team without members', { teams: { crew: {} } }, /members, or an owner/],
    ['a team of a user', { teams: { crew: { namespace: 'team:u:x', members: ['*'] } } }, /"u" is reserved/],
    [
      'two teams of one name',
      { teams: { a: { name: 'x', members: ['*'] }, b: { name: 'x', members: ['*'] } } },
      /same namespace/,
    ],
    [
      'a run that is a team',
      { teams: { a: { namespace: 'x:{run_id}', members: ['*'] }, b: { namespace: 'x:7', members: ['*'] } } },
      /same namespace/,
    ],
    [
      'agents of two owners in one place',
      { agents: { a: { owner: 'x', name: 'n' }, b: { owner: 'y', name: 'n' } } },
      /of different owners/,
    ],
    ['sessionIsolated without a session', { agents: { bot: { sessionIsolated: true } } }, /needs \{session_id\}/],
    ['autoMemory of less than none', { agents: { bot: { autoMemory: { turns: -1 } } } }, /turns is to be 0 or more/],
    ['an empty anonymous user', { anonymous: '' }, /anonymous\.id/],
  ];
  it.each(bad)('%s', (_, options, words) => refused(() => make(options), 'INVALID_ARGUMENT', words));
});

it('unknown agents and teams are refused, and those there are named', async () => {
  const space = make({ teams: { crew: { members: ['*'] } } });
  const principal = { id: 'alice' };
  await refused(() => space.as({ principal, agent: 'nope' }), 'INVALID_ARGUMENT', /no agent "nope"\. There are: bot/);
  await refused(() => space.as({ principal, agent: 'constructor' }), 'INVALID_ARGUMENT', /no agent/);
  await refused(
    () => space.as({ principal, agent: 'bot', team: 'x' }),
    'INVALID_ARGUMENT',
    /no team "x"\. There are: crew/,
  );
  await refused(() => space.as({ principal, agent: 'bot' }).team(), 'INVALID_ARGUMENT', /in no team/);
  await refused(() => space.as({ principal, agent: 'bot' }).session(), 'UNSUPPORTED', /no sessions/);
});

it('the owner of an agent, of a team and of a pool may use it without being listed', () => {
  const agents = { bot: { owner: 'ines', sharedNamespaces: ['docs'] } };
  const space = make({ agents, pools: { docs: { owner: 'ines' } }, teams: { crew: { owner: 'ines' } } });
  const scope = space.as({ principal: { id: 'ines' }, agent: 'bot', team: 'crew' });
  expect([scope.pools, scope.hasTeam, scope.pool('docs').writable]).toEqual([['docs'], true, true]);
});

it('a service is let in as a principal, not by an id', () => {
  const batch = { id: 'batch', type: 'service' } as const;
  const pools = { docs: { readers: [batch] }, other: { readers: ['batch'] } };
  const space = make({ agents: { bot: { sharedNamespaces: ['docs', 'other'] } }, pools });
  expect(space.as({ principal: batch, agent: 'bot' }).pools).toEqual(['docs']);
  expect(space.as({ principal: { id: 'batch' }, agent: 'bot' }).pools).toEqual(['other']);
});
