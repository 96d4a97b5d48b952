import type { Namespace } from '@keepsake/core';
import { expect, expectKnownFields } from '@keepsake/core/adapter';
import { asSegment, isObject, quoted, SEGMENT_TAGS } from '@keepsake/internal';
import { pairs } from './pairs.ts';
import { type Pool, poolNamed } from './pools.ts';
import { checkGrantees, checkText, type Grantee } from './principal.ts';
import { TEAM, type TeamMemory } from './space-options.ts';
import { Template } from './template.ts';

/** A validated team. */
export interface Team {
  readonly name: string;
  readonly owner: string | undefined;
  readonly template: Template;
  readonly members: readonly Grantee[];
}

/** A validated team. */
export function readTeam(teamMemory: TeamMemory, key: string): Team {
  const what = `Team ${quoted(key)}`;
  expect(isObject(teamMemory), `${what} must be an object such as { members: ['alice', 'bob'] }.`);
  const team: TeamMemory = expectKnownFields(teamMemory, TEAM, `teams[${quoted(key)}]`);
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

/** Teams must not share their memory with each other or with a pool. */
export function checkTeams(teams: ReadonlyMap<string, Team>, pools: ReadonlyMap<string, Pool>): void {
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
 * apart. What is below belongs to no user, whatever the owner is called.
 */
export function teamNamespace({ template, owner }: Team, runId: string | undefined): Namespace {
  const namespace = template.resolve(runId === undefined ? {} : { run_id: runId });
  return owner === undefined ? namespace : [...namespace, SEGMENT_TAGS.owner, asSegment(owner)];
}
