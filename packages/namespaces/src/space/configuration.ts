import type { Namespace } from '@keepsake/core';
import { expect, isWithin } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { type Agent, checkAgents, readAgent } from './agents.ts';
import { addPool, type Pool, poolNamed } from './pools.ts';
import type { MemorySpaceOptions } from './space-options.ts';
import { checkTeams, readTeam, type Team } from './teams.ts';
import { Template } from './template.ts';

/** The validated options of a space: namespaces of different owners never collide. */
export interface Configuration {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly teams: ReadonlyMap<string, Team>;
}

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
  const poolsByName = new Map<string, Pool>();
  for (const [name, access] of Object.entries(pools)) {
    if (!name.includes('{')) addPool(poolsByName, Template.parse(name, poolNamed(name), []), access);
  }
  const byName = mapValues(agents, (agent, key) => readAgent(agent, key, pools, poolsByName));
  for (const key of Object.keys(pools)) {
    const isUsed = !key.includes('{') || Object.values(agents).some((agent) => agent.sharedNamespaces?.includes(key));
    expect(isUsed, `${poolNamed(key)}: no agent declares it. Use the same template as an agent's sharedNamespaces.`);
  }
  const teamsByName = mapValues(teams, readTeam);
  checkAgents(byName);
  checkTeams(teamsByName, poolsByName);
  return { agents: byName, pools: poolsByName, teams: teamsByName };
}

function mapValues<T, R>(
  fields: Readonly<Record<string, T>>,
  read: (value: T, key: string) => R,
): ReadonlyMap<string, R> {
  return new Map(Object.entries(fields).map(([key, value]) => [key, read(value, key)]));
}
