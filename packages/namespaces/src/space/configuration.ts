import { formatNamespace, type Namespace } from '@keepsake/core';
import { expect, expectKnownFields, isWithin, quoted } from '@keepsake/core/adapter';
import { isObject, SEGMENT_TAGS } from '@keepsake/internal';
import { checkGrantees, checkText, type Grantee, isGranted, type Principal } from './principal.ts';
import {
  AGENT,
  type AgentMemory,
  type MemorySpaceOptions,
  POOL,
  type PoolAccess,
  TEAM,
  type TeamMemory,
} from './space-options.ts';
import { Template } from './template.ts';

/** A validated agent. */
export interface Agent {
  readonly name: string;
  readonly owner: string | undefined;
  /** The namespace of its private memory without the user. */
  readonly template: Template;
  readonly pools: readonly Pool[];
  readonly sharedWith: readonly Grantee[];
  /** The number of earlier turns that a turn receives; `undefined` if turns are not stored. */
  readonly turns: number | undefined;
  readonly preamble: PreamblePlace;
  readonly childFallback: boolean;
  readonly forgetShared: ForgetShared;
  /** Whether its namespace names a session that memories outlast. */
  readonly outlastsSessions: boolean;
}

/** Where `turn` puts what is known. */
type PreamblePlace = 'start' | 'everyTurn';

/** Whose entries of shared memory the tools may remove. */
export type ForgetShared = 'own' | 'any' | 'none';

/** A validated pool. */
export interface Pool {
  readonly name: string;
  readonly namespace: Namespace;
  readonly readers: readonly Grantee[];
  readonly writers: readonly Grantee[];
}

/** A validated team. */
export interface Team {
  readonly name: string;
  readonly owner: string | undefined;
  readonly template: Template;
  readonly members: readonly Grantee[];
}

/** The validated options of a space: namespaces of different owners never collide. */
export interface Configuration {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly teams: ReadonlyMap<string, Team>;
}

/** The number of turns of `autoMemory: true`. */
const DEFAULT_TURNS = 10;

/** Tells whether a namespace is that of a pool or a team, or below it. */
export function declaredNamespaces({ pools, teams }: Configuration): (namespace: Namespace) => boolean {
  const shared = [...pools.values()].map((pool) => pool.namespace);
  const ofTeams = [...teams.values()].map(({ template }) => template);
  return (namespace) =>
    shared.some((one) => isWithin(namespace, one)) || ofTeams.some((template) => template.leadsTo(namespace));
}

/** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
export function configure(options: MemorySpaceOptions): Configuration {
  const { agents, pools = {}, teams = {} } = options;
  expect(
    isObject(agents) && isObject(pools) && isObject(teams),
    '`agents`, `pools` and `teams` must be objects with names as keys.',
  );
  const found = new Map<string, Pool>();
  for (const [name, access] of Object.entries(pools)) {
    if (!name.includes('{')) addPool(found, Template.parse(name, poolNamed(name), []), access);
  }
  const byName = mapValues(agents, (agent, key) => readAgent(agent, key, pools, found));
  for (const key of Object.keys(pools)) {
    const isUsed = !key.includes('{') || Object.values(agents).some((agent) => agent.sharedNamespaces?.includes(key));
    expect(isUsed, `${poolNamed(key)}: no agent declares it. Use the same template as an agent's sharedNamespaces.`);
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
  expectObject(agent, `${what} must be an object such as { namespace: 'agent:{agent_name}' }.`);
  expectKnownFields(agent, AGENT, `agents[${quoted(key)}]`);
  const { name = key, owner, sessionIsolated = false, sharedNamespaces = [], autoMemory = false } = agent;
  checkText(name, `${what}: its name`);
  if (owner !== undefined) checkText(owner, `${what}: its owner`);
  const template = Template.parse(agent.namespace ?? 'agent:{agent_name}', `${what}: its namespace`, PLACEHOLDERS);
  const isBySession = template.placeholders.includes('session_id');
  expect(!sessionIsolated || isBySession, `${what}: sessionIsolated needs {session_id} in its namespace.`);
  const areTexts = Array.isArray(sharedNamespaces) && sharedNamespaces.every((text) => typeof text === 'string');
  expect(areTexts, `${what}: sharedNamespaces must be an array of templates.`);
  const values = { agent_name: name, ...(owner !== undefined && { agent_owner: owner }) };
  const kept = sessionIsolated ? template : template.without('session_id');
  expect(kept.length > 0, `${what}: its namespace is empty without {session_id}. Add a segment.`);
  return {
    name,
    owner,
    template: kept.with(values),
    pools: sharedNamespaces.map((text) => {
      const pool = Template.parse(text, `${what}: its pool ${quoted(text)}`, ['agent_name', 'agent_owner']);
      const declared = formatNamespace(pool.resolve(values));
      const access = Object.hasOwn(pools, declared) ? pools[declared] : ownField(pools, text);
      expect(access, `${what}: the pool ${quoted(declared)} has no access list. Add it to pools.`);
      return addPool(found, pool.with(values), access);
    }),
    sharedWith: readSharedWith(agent, what),
    turns: readTurns(autoMemory, what),
    preamble: readPreamble(agent, what),
    childFallback: agent.childFallback ?? true,
    forgetShared: readForgetShared(agent, what),
    outlastsSessions: isBySession && !sessionIsolated,
  };
}

function readPreamble({ preamble = 'start' }: AgentMemory, what: string): PreamblePlace {
  expect(preamble === 'start' || preamble === 'everyTurn', `${what}: preamble must be 'start' or 'everyTurn'.`);
  return preamble;
}

function readForgetShared({ forgetShared = 'own' }: AgentMemory, what: string): ForgetShared {
  expect(FORGET_SHARED.includes(forgetShared), `${what}: forgetShared must be 'own', 'any' or 'none'.`);
  return forgetShared;
}

const FORGET_SHARED: readonly unknown[] = ['own', 'any', 'none'] satisfies ForgetShared[];

function readSharedWith({ owner, sharedWith }: AgentMemory, what: string): readonly Grantee[] {
  if (sharedWith === undefined) return [owner === undefined ? '*' : { id: owner }];
  const grantees = checkGrantees(sharedWith, `${what}: sharedWith`);
  return owner === undefined ? grantees : [...grantees, { id: owner }];
}

function readTurns(autoMemory: AgentMemory['autoMemory'], what: string): number | undefined {
  if (typeof autoMemory === 'boolean') return autoMemory ? DEFAULT_TURNS : undefined;
  const { turns } = autoMemory ?? {};
  if (autoMemory) expectKnownFields(autoMemory, { turns: true }, 'autoMemory');
  expect(Number.isSafeInteger(turns) && (turns as number) >= 0, `${what}: autoMemory.turns must be 0 or more.`);
  return turns;
}

/** Adds a pool once, even if several agents declare it. */
function addPool(found: Map<string, Pool>, template: Template, access: PoolAccess): Pool {
  const namespace = template.resolve({});
  const name = formatNamespace(namespace);
  expect(name.length <= 128, `${poolNamed(name)}: its name must have at most 128 characters.`);
  const pool = { name, namespace, ...readAccess(access, name) };
  const known = found.get(name);
  const same = known === undefined || JSON.stringify(known) === JSON.stringify(pool);
  expect(same, `${poolNamed(name)} has two access lists. Remove one.`);
  found.set(name, known ?? pool);
  return known ?? pool;
}

function readAccess(access: PoolAccess, name: string): Pick<Pool, 'readers' | 'writers'> {
  const what = poolNamed(name);
  expectObject(access, `${what} must be an object such as { readers: ['*'], writers: ['alice'] }.`);
  expectKnownFields(access, POOL, `pools[${quoted(name)}]`);
  const owner = access.owner === undefined ? [] : checkGrantees([access.owner], `${what}: owner`);
  expect(!owner.includes('*'), `${what}: its owner cannot be '*'. Use readers and writers.`);
  const readers = checkGrantees(access.readers ?? [], `${what}: readers`);
  const writers = checkGrantees(access.writers ?? [], `${what}: writers`);
  for (const writer of writers) {
    const reads = readers.includes('*') || (writer !== '*' && isGranted([...readers, ...owner], asPrincipal(writer)));
    expect(reads, `${what}: every writer must also be a reader. Add each writer to readers.`);
  }
  return { readers: [...readers, ...owner], writers: [...writers, ...owner] };
}

function readTeam(team: TeamMemory, key: string): Team {
  const what = `Team ${quoted(key)}`;
  expectObject(team, `${what} must be an object such as { members: ['alice', 'bob'] }.`);
  expectKnownFields(team, TEAM, `teams[${quoted(key)}]`);
  const { name = key, owner, namespace = 'team:{team_name}', members = [] } = team;
  checkText(name, `${what}: its name`);
  if (owner !== undefined) checkText(owner, `${what}: its owner`);
  const template = Template.parse(namespace, `${what}: its namespace`, ['team_name', 'run_id']);
  const grantees = checkGrantees(members, `${what}: members`);
  expect(grantees.length > 0 || owner !== undefined, `${what} must have members or an owner.`);
  return {
    name,
    owner,
    template: template.with({ team_name: name }),
    members: owner === undefined ? grantees : [...grantees, { id: owner }],
  };
}

/** Agents of different owners must not share what a user told one of them. */
function checkAgents(agents: ReadonlyMap<string, Agent>): void {
  for (const [[a, one], [b, other]] of pairs([...agents])) {
    const apart = one.owner === other.owner || !one.template.meets(other.template);
    expect(
      apart,
      `Agents ${quoted(a)} and ${quoted(b)} of different owners have the same namespace. Add {agent_owner} to it.`,
    );
    const isChance = (one.outlastsSessions || other.outlastsSessions) && one.template.text !== other.template.text;
    expect(
      !isChance || !one.template.meets(other.template),
      `Agents ${quoted(a)} and ${quoted(b)} have the same namespace without {session_id}. Name them apart in it, or give both the same namespace.`,
    );
  }
}

function checkTeams(teams: ReadonlyMap<string, Team>, pools: ReadonlyMap<string, Pool>): void {
  for (const [[a, one], [b, other]] of pairs([...teams])) {
    const meet = one.owner === other.owner && one.template.meets(other.template);
    expect(!meet, `Teams ${quoted(a)} and ${quoted(b)} have the same namespace. Add {team_name} to it.`);
  }
  for (const [key, { owner, template }] of teams) {
    for (const { name, namespace } of pools.values()) {
      const meets = owner === undefined && template.length === namespace.length && template.leadsTo(namespace);
      expect(!meets, `${poolNamed(name)} has the namespace of team ${quoted(key)}. Rename the pool.`);
    }
  }
}

/**
 * The namespace of a team's memories. The owner comes last, so that teams with the same name but different owners stay
 * apart.
 */
export function teamNamespace({ template, owner }: Team, runId: string | undefined): Namespace {
  const namespace = template.resolve(runId === undefined ? {} : { run_id: runId });
  return owner === undefined ? namespace : [...namespace, SEGMENT_TAGS.owner, owner];
}

const PLACEHOLDERS = ['agent_name', 'agent_owner', 'session_id', 'user_id', 'team_name', 'run_id'] as const;

function poolNamed(name: string): string {
  return `Pool ${quoted(name)}`;
}

function asPrincipal(grantee: Grantee): Principal {
  return typeof grantee === 'string' ? { id: grantee } : grantee;
}

function expectObject(value: unknown, message: string): void {
  expect(isObject(value), message);
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
