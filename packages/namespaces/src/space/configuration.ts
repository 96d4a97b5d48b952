import { formatNamespace, type Namespace } from '@keepsake/core';
import { expect, quoted } from '../guards/expect.ts';
import { checkGrantees, checkText, type Grantee, lets, type Principal } from './principal.ts';
import { MARKS } from './reserved.ts';
import type { AgentMemory, MemorySpaceOptions, PoolAccess, TeamMemory } from './space-options.ts';
import { Template } from './template.ts';

/** An agent of a space, checked. */
export interface Agent {
  readonly name: string;
  readonly owner: string | undefined;
  /** Of its private memory, but for the user. */
  readonly template: Template;
  readonly pools: readonly Pool[];
  readonly sharedWith: readonly Grantee[];
  /** How many turns are given to the next; `undefined` where they are not stored. */
  readonly turns: number | undefined;
  readonly childFallback: boolean;
}

/** A pool of a space, checked. */
export interface Pool {
  readonly name: string;
  readonly namespace: Namespace;
  readonly readers: readonly Grantee[];
  readonly writers: readonly Grantee[];
}

/** A team of a space, checked. */
export interface Team {
  readonly name: string;
  readonly owner: string | undefined;
  readonly template: Template;
  readonly members: readonly Grantee[];
}

/** What a space was given, checked: no two of different people lead to the same place. */
export interface Configuration {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly teams: ReadonlyMap<string, Team>;
}

/** How many turns `autoMemory: true` gives to the next. */
const DEFAULT_TURNS = 10;

/** @throws MemoryError `INVALID_ARGUMENT` for what can't work. */
export function configure(options: MemorySpaceOptions): Configuration {
  const { agents, pools = {}, teams = {} } = options;
  expect(isFields(agents) && isFields(pools) && isFields(teams), 'agents, pools and teams are to be objects by name.');
  const found = new Map<string, Pool>();
  for (const [name, access] of Object.entries(pools)) {
    if (!name.includes('{')) addPool(found, Template.parse(name, poolNamed(name), []), access);
  }
  const byName = mapValues(agents, (agent, key) => readAgent(agent, key, pools, found));
  for (const key of Object.keys(pools)) {
    const isUsed = !key.includes('{') || Object.values(agents).some((agent) => agent.sharedNamespaces?.includes(key));
    expect(isUsed, `${poolNamed(key)}: no agent declares it. Write it as the agent's sharedNamespaces do.`);
  }
  const teamsByName = mapValues(teams, readTeam);
  checkAgents(byName);
  checkTeams(teamsByName, found);
  return { agents: byName, pools: found, teams: teamsByName };
}

function readAgent(
  agent: AgentMemory,
  key: string,
  pools: Readonly<Record<string, PoolAccess>>,
  found: Map<string, Pool>,
): Agent {
  const what = `Agent ${quoted(key)}`;
  expect(isFields(agent), `${what} is to be an object, such as { namespace: 'agent:{agent_name}' }.`);
  const { name = key, owner, sessionIsolated = false, sharedNamespaces = [], autoMemory = false } = agent;
  checkText(name, `${what}: its name`);
  if (owner !== undefined) checkText(owner, `${what}: its owner`);
  const template = Template.parse(agent.namespace ?? 'agent:{agent_name}', `${what}: its namespace`, PLACEHOLDERS);
  const isBySession = template.placeholders.includes('session_id');
  expect(!sessionIsolated || isBySession, `${what}: sessionIsolated needs {session_id} in its namespace.`);
  expect(Array.isArray(sharedNamespaces), `${what}: sharedNamespaces is to be an array of templates.`);
  const values = { agent_name: name, ...(owner !== undefined && { agent_owner: owner }) };
  const kept = sessionIsolated ? template : template.without('session_id');
  expect(kept.length > 0, `${what}: nothing is left of its namespace without {session_id}.`);
  return {
    name,
    owner,
    template: kept.with(values),
    pools: sharedNamespaces.map((text) => {
      const pool = Template.parse(text, `${what}: its pool ${quoted(String(text))}`, ['agent_name', 'agent_owner']);
      const declared = formatNamespace(pool.resolve(values));
      const access = Object.hasOwn(pools, declared) ? pools[declared] : ownField(pools, text);
      expect(access, `${what}: the pool ${quoted(declared)} has no access list. Add it to pools.`);
      return addPool(found, pool.with(values), access);
    }),
    sharedWith: readSharedWith(agent, what),
    turns: readTurns(autoMemory, what),
    childFallback: agent.childFallback ?? true,
  };
}

function readSharedWith({ owner, sharedWith }: AgentMemory, what: string): readonly Grantee[] {
  if (sharedWith === undefined) return [owner === undefined ? '*' : { id: owner }];
  const grantees = checkGrantees(sharedWith, `${what}: sharedWith`);
  return owner === undefined ? grantees : [...grantees, { id: owner }];
}

function readTurns(autoMemory: AgentMemory['autoMemory'], what: string): number | undefined {
  if (typeof autoMemory === 'boolean') return autoMemory ? DEFAULT_TURNS : undefined;
  const { turns } = autoMemory ?? {};
  expect(Number.isSafeInteger(turns) && (turns as number) >= 0, `${what}: autoMemory.turns is to be 0 or more.`);
  return turns;
}

/** The pool of that place, which is one however many agents declare it. */
function addPool(found: Map<string, Pool>, template: Template, access: PoolAccess): Pool {
  const namespace = template.resolve({});
  const name = formatNamespace(namespace);
  expect(name.length <= 128, `${poolNamed(name)} is to have a name of up to 128 characters.`);
  const pool = { name, namespace, ...readAccess(access, name) };
  const known = found.get(name);
  const same = known === undefined || JSON.stringify(known) === JSON.stringify(pool);
  expect(same, `${poolNamed(name)} has two access lists. Leave one out.`);
  found.set(name, known ?? pool);
  return known ?? pool;
}

function readAccess(access: PoolAccess, name: string): Pick<Pool, 'readers' | 'writers'> {
  const what = poolNamed(name);
  expect(isFields(access), `${what} is to be an object, such as { readers: ['*'], writers: ['alice'] }.`);
  const owner = access.owner === undefined ? [] : checkGrantees([access.owner], `${what}: owner`);
  expect(!owner.includes('*'), `${what}: everyone can't be its owner. Use readers and writers.`);
  const readers = checkGrantees(access.readers ?? [], `${what}: readers`);
  const writers = checkGrantees(access.writers ?? [], `${what}: writers`);
  for (const writer of writers) {
    const reads = readers.includes('*') || (writer !== '*' && lets([...readers, ...owner], asPrincipal(writer)));
    expect(reads, `${what}: whoever writes reads, too. Add each of its writers to readers.`);
  }
  return { readers: [...readers, ...owner], writers: [...writers, ...owner] };
}

function readTeam(team: TeamMemory, key: string): Team {
  const what = `Team ${quoted(key)}`;
  expect(isFields(team), `${what} is to be an object, such as { members: ['alice', 'bob'] }.`);
  const { name = key, owner, namespace = 'team:{team_name}', members = [] } = team;
  checkText(name, `${what}: its name`);
  if (owner !== undefined) checkText(owner, `${what}: its owner`);
  const template = Template.parse(namespace, `${what}: its namespace`, ['team_name', 'run_id']);
  const grantees = checkGrantees(members, `${what}: members`);
  expect(grantees.length > 0 || owner !== undefined, `${what} is to have members, or an owner.`);
  return {
    name,
    owner,
    template: template.with({ team_name: name }),
    members: owner === undefined ? grantees : [...grantees, { id: owner }],
  };
}

/** Agents of different owners are not to know what a user has told the other. */
function checkAgents(agents: ReadonlyMap<string, Agent>): void {
  for (const [[a, one], [b, other]] of pairs([...agents])) {
    const apart = one.owner === other.owner || !one.template.meets(other.template);
    expect(
      apart,
      `Agents ${quoted(a)} and ${quoted(b)}, of different owners, have the same namespace. Put {agent_owner} into it.`,
    );
  }
}

function checkTeams(teams: ReadonlyMap<string, Team>, pools: ReadonlyMap<string, Pool>): void {
  for (const [[a, one], [b, other]] of pairs([...teams])) {
    const meet = one.owner === other.owner && one.template.meets(other.template);
    expect(!meet, `Teams ${quoted(a)} and ${quoted(b)} have the same namespace. Put {team_name} into it.`);
  }
  for (const [key, { owner, template }] of teams) {
    for (const { name, namespace } of pools.values()) {
      const meets = owner === undefined && template.length === namespace.length && template.leadsTo(namespace);
      expect(!meets, `${poolNamed(name)} has the namespace of team ${quoted(key)}. Give it another name.`);
    }
  }
}

/** Where a team's memories are. Its owner comes last, so that teams of one name and two owners are apart. */
export function teamNamespace({ template, owner }: Team, runId: string | undefined): Namespace {
  const namespace = template.resolve(runId === undefined ? {} : { run_id: runId });
  return owner === undefined ? namespace : [...namespace, MARKS.owner, owner];
}

const PLACEHOLDERS = ['agent_name', 'agent_owner', 'session_id', 'user_id', 'team_name', 'run_id'] as const;

function poolNamed(name: string): string {
  return `Pool ${quoted(name)}`;
}

function asPrincipal(grantee: Grantee): Principal {
  return typeof grantee === 'string' ? { id: grantee } : grantee;
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownField<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function mapValues<T, R>(
  fields: Readonly<Record<string, T>>,
  read: (value: T, key: string) => R,
): ReadonlyMap<string, R> {
  return new Map(Object.entries(fields).map(([key, value]) => [key, read(value, key)]));
}

function* pairs<T>(all: readonly T[]): Generator<[T, T]> {
  for (const [index, one] of all.entries()) for (const other of all.slice(index + 1)) yield [one, other];
}
