import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';
import { refused } from './support.ts';

const store = new InMemoryStore({ name: 'memory' });
const make = (options: Partial<MemorySpaceOptions>) => new MemorySpace({ store, agents: { bot: {} }, ...options });
const namespaceOf = (namespace: string, context: object = {}) =>
  make({ agents: { bot: { namespace } } }).as({ principal: { id: 'alice' }, agent: 'bot', ...context }).namespace;

describe('templates', () => {
  it('accept each placeholder', () => {
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

  it('are resolved in one pass: a placeholder inside a value is plain text', () => {
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

  it('lose only {session_id} and the separator before it, not the rest of its segment', () => {
    expect(namespaceOf('org:team-a-{session_id}')).toEqual(['org', 'team-a', 'u', 'alice']);
    expect(namespaceOf('org:{session_id}.team-b')).toEqual(['org', 'team-b', 'u', 'alice']);
    expect(namespaceOf('org:a_{session_id}_b')).toEqual(['org', 'a_b', 'u', 'alice']);
    expect(namespaceOf('org:{session_id}')).toEqual(['org', 'u', 'alice']);
    expect(namespaceOf('org:u-{session_id}')).toEqual(['org', '%u', 'u', 'alice']);
  });

  it('are refused if two agents become one without {session_id}', async () => {
    const agents = { one: { namespace: 'org:team-{session_id}' }, other: { namespace: 'org:team' } };
    await refused(() => make({ agents }), 'INVALID_ARGUMENT', /"one" and "other" have the same namespace without/);
    expect(make({ agents: { ...agents, other: { namespace: 'org:team-b' } } })).toBeDefined();
    expect(make({ agents: { ...agents, other: agents.one } })).toBeDefined();
  });

  it('of pools that are no texts are refused', async () => {
    for (const sharedNamespaces of [[{ toString: 1 }], [null], 'docs']) {
      const agents = { bot: { sharedNamespaces: sharedNamespaces as never } };
      await refused(() => make({ agents }), 'INVALID_ARGUMENT', /must be an array of templates/);
    }
  });

  it('are refused with unknown placeholders or reserved segments', async () => {
    const bad: [template: string, words: RegExp][] = [
      ['agent:{agent}', /unknown placeholder "\{agent\}"\. Available placeholders: \{agent_name\}/],
      ['agent:{constructor}', /unknown placeholder/],
      ['agent:{agent_name}-{run_id}', /one \{placeholder\}/],
      ['agent:{agent_name', /one \{placeholder\}/],
      ['agent:}{', /one \{placeholder\}|unknown placeholder/],
      ['agent:{}', /unknown placeholder/],
      ['agent:u:x', /"u" is reserved/],
      ['u', /"u" is reserved/],
      ['%u', /./],
      ['a::b', /Segment 1 of the namespace is empty/],
      ['a/b', /formatNamespace/],
      ['', /must be a template/],
      ['{session_id}', /its namespace is empty/],
    ];
    for (const [template, words] of bad) await refused(() => namespaceOf(template), 'INVALID_ARGUMENT', words);
  });

  it('refuse a value that is missing, empty or too long', async () => {
    await refused(() => namespaceOf('run:{run_id}'), 'INVALID_ARGUMENT', /needs a runId/);
    await refused(() => namespaceOf('run:{agent_owner}'), 'INVALID_ARGUMENT', /needs an agent with an owner/);
    await refused(() => namespaceOf('run:{team_name}'), 'INVALID_ARGUMENT', /needs a team/);
    await refused(
      () => namespaceOf('run:{run_id}', { runId: '' }),
      'INVALID_ARGUMENT',
      /runId must be a non-empty string/,
    );
    await refused(() => namespaceOf('r:{run_id}', { runId: 'x'.repeat(257) }), 'INVALID_ARGUMENT', /256/);
  });
});

describe('principals', () => {
  it('are refused without a valid id or with an unknown type', async () => {
    const as = (principal: unknown) => make({}).as({ principal: principal as never, agent: 'bot' });
    for (const id of ['', undefined, 7, 'a\0b', '\ud800', 'x'.repeat(257)]) {
      await refused(() => as({ id }), 'INVALID_ARGUMENT', /principal\.id/);
    }
    await refused(() => as({ id: 'a', type: 'admin' }), 'INVALID_ARGUMENT', /'user' or 'service'/);
    await refused(() => as(null), 'INVALID_ARGUMENT', /principal/);
    await refused(() => as('alice'), 'INVALID_ARGUMENT', /principal\.id/);
  });

  it('differ by every character of their id', () => {
    const space = make({});
    const ids = ['alice', 'Alice', 'alice ', 'é', 'e\u0301', 'a:b', 'a%3Ab', 'u', '%u'];
    const namespaces = ids.map((id) => space.as({ principal: { id }, agent: 'bot' }).namespace);
    expect(namespaces).toEqual(ids.map((id) => ['agent', 'bot', 'u', id]));
  });
});

it('teams of different owners may have the same namespace, and pools one that is longer or of a team with an owner', async () => {
  const everyone = { readers: ['*'], writers: ['*'] };
  const agents = { bot: { sharedNamespaces: ['team:crew:docs', 'team:other'] } };
  const pools = { 'team:crew:docs': everyone, 'team:other': everyone };
  const crew = { name: 'crew', members: ['*'] };
  const teams = { ofAda: { ...crew, owner: 'ada' }, ofEve: { ...crew, owner: 'eve' }, crew };
  expect(make({ agents, pools, teams })).toBeDefined();
  expect(make({ agents, pools, teams: { other: { owner: 'ada' } } })).toBeDefined();
  const options = { agents, pools, teams: { other: { members: ['*'] } } };
  await refused(() => make(options), 'INVALID_ARGUMENT', /"team:other" has the namespace of team "other"/);
});

describe('the constructor refuses', () => {
  const everyone = { readers: ['*'], writers: ['*'] };
  const declares = (pool: string) => ({ bot: { sharedNamespaces: [pool] } });
  const bad: [what: string, options: Partial<MemorySpaceOptions>, words: RegExp][] = [
    ['no store', { store: {} as never }, /`store` must be a record store/],
    ['agents as an array', { agents: [] as never }, /`agents`, `pools` and `teams`/],
    ['an agent that is not an object', { agents: { bot: 'x' as never } }, /Agent "bot" must be an object/],
    ['an agent without a name', { agents: { '': {} } }, /its name/],
    ['a pool without an access list', { agents: declares('docs') }, /"docs" has no access list/],
    ['a pool named like a property of every object', { agents: declares('constructor') }, /no access list/],
    [
      'a pool with {user_id} in its name',
      { agents: declares('x:{user_id}'), pools: {} },
      /unknown placeholder "\{user_id\}"/,
    ],
    ['a pool owned by everyone', { pools: { docs: { owner: '*' } } }, /its owner cannot be '\*'/],
    ['a pool template that no agent declares', { pools: { '{agent_name}': everyone } }, /no agent declares it/],
    [
      'a writer who does not read',
      { pools: { docs: { readers: ['bob'], writers: ['*'] } } },
      /every writer must also be a reader/,
    ],
    [
      'a writer who does not read, by id',
      { pools: { docs: { writers: ['bob'] } } },
      /every writer must also be a reader/,
    ],
    ['readers as a string', { pools: { docs: { readers: '*' as never } } }, /readers must be an array/],
    ['a team without members', { teams: { crew: {} } }, /members or an owner/],
    [
      'a team with a reserved segment',
      { teams: { crew: { namespace: 'team:u:x', members: ['*'] } } },
      /"u" is reserved/,
    ],
    [
      'two teams with the same name',
      { teams: { a: { name: 'x', members: ['*'] }, b: { name: 'x', members: ['*'] } } },
      /same namespace/,
    ],
    [
      'a run of one team that has the namespace of another team',
      { teams: { a: { namespace: 'x:{run_id}', members: ['*'] }, b: { namespace: 'x:7', members: ['*'] } } },
      /same namespace/,
    ],
    [
      'agents of two owners with the same namespace',
      { agents: { a: { owner: 'x', name: 'n' }, b: { owner: 'y', name: 'n' } } },
      /of different owners/,
    ],
    ['sessionIsolated without a session', { agents: { bot: { sessionIsolated: true } } }, /needs \{session_id\}/],
    ['a negative number of turns', { agents: { bot: { autoMemory: { turns: -1 } } } }, /turns must be 0 or more/],
    ['an empty anonymous user', { anonymous: '' }, /anonymous\.id/],
  ];
  it.each(bad)('%s', (_, options, words) => refused(() => make(options), 'INVALID_ARGUMENT', words));
});

it('unknown agents and teams are refused, and the error names the available ones', async () => {
  const space = make({ teams: { crew: { members: ['*'] } } });
  const principal = { id: 'alice' };
  await refused(
    () => space.as({ principal, agent: 'nope' }),
    'INVALID_ARGUMENT',
    /no agent "nope"\. Available agents: bot/,
  );
  await refused(() => space.as({ principal, agent: 'constructor' }), 'INVALID_ARGUMENT', /no agent/);
  // What can't be made a text.
  const odd = { toString: 1, valueOf: 1 } as never;
  await refused(() => space.as({ principal, agent: odd }), 'INVALID_ARGUMENT', /agent must be a string/);
  await refused(() => space.as({ principal, agent: 'bot', team: odd }), 'INVALID_ARGUMENT', /team must be a string/);
  await refused(
    () => space.as({ principal, agent: 'bot', team: 'x' }),
    'INVALID_ARGUMENT',
    /no team "x"\. Available teams: crew/,
  );
  await refused(() => space.as({ principal, agent: 'bot' }).team(), 'INVALID_ARGUMENT', /has no team/);
  await refused(() => space.as({ principal, agent: 'bot' }).session(), 'UNSUPPORTED', /no sessions/);
});

it('the owner of an agent, a team or a pool may use it without being listed', () => {
  const agents = { bot: { owner: 'ines', sharedNamespaces: ['docs'] } };
  const space = make({ agents, pools: { docs: { owner: 'ines' } }, teams: { crew: { owner: 'ines' } } });
  const scope = space.as({ principal: { id: 'ines' }, agent: 'bot', team: 'crew' });
  expect([scope.pools, scope.hasTeam, scope.pool('docs').writable]).toEqual([['docs'], true, true]);
});

it('access for a service needs a principal, not just an id', () => {
  const batch = { id: 'batch', type: 'service' } as const;
  const pools = { docs: { readers: [batch] }, other: { readers: ['batch'] } };
  const space = make({ agents: { bot: { sharedNamespaces: ['docs', 'other'] } }, pools });
  expect(space.as({ principal: batch, agent: 'bot' }).pools).toEqual(['docs']);
  expect(space.as({ principal: { id: 'batch' }, agent: 'bot' }).pools).toEqual(['other']);
});
