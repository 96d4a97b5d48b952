import { formatNamespace } from '@keepsake/core';
import { expect, expectKnownFields } from '@keepsake/core/adapter';
import { isObject, quoted } from '@keepsake/internal';
import { pairs } from './pairs.ts';
import { addPool, type Pool } from './pools.ts';
import { checkGrantees, checkText, type Grantee } from './principal.ts';
import { AGENT, type AgentMemory, type PoolAccess } from './space-options.ts';
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

/** The number of turns of `autoMemory: true`. */
const DEFAULT_TURNS = 10;

const PLACEHOLDERS = ['agent_name', 'agent_owner', 'session_id', 'user_id', 'team_name', 'run_id'] as const;

/** A validated agent. Adds the pools that it declares to `found`. */
export function readAgent(
  agentMemory: AgentMemory,
  key: string,
  pools: Readonly<Record<string, PoolAccess>>,
  poolsByName: Map<string, Pool>,
): Agent {
  const what = `Agent ${quoted(key)}`;
  expect(isObject(agentMemory), `${what} must be an object such as { namespace: 'agent:{agent_name}' }.`);
  const agent: AgentMemory = expectKnownFields(agentMemory, AGENT, `agents[${quoted(key)}]`);
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
      return addPool(poolsByName, pool.with(values), access);
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
  const { turns } = autoMemory ? expectKnownFields(autoMemory, { turns: true }, 'autoMemory') : {};
  expect(Number.isSafeInteger(turns) && (turns as number) >= 0, `${what}: autoMemory.turns must be 0 or more.`);
  return turns;
}

/** Agents of different owners must not share what a user told one of them. */
export function checkAgents(agents: ReadonlyMap<string, Agent>): void {
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

function ownField<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
