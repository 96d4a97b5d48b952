import type { Namespace } from '@keepsake/core';
import { checkNamespace, expect } from '@keepsake/core/adapter';
import { quoted } from '@keepsake/internal';
import type { Agent } from './agents.ts';
import type { Configuration } from './configuration.ts';
import { checkPrincipal, checkText, isGranted, ownSegments, type Principal } from './principal.ts';
import type { MemoryContext } from './space-options.ts';
import type { Team } from './teams.ts';

/** Who asks, through what, and where their private memory is. */
interface Granted {
  readonly principal: Required<Principal>;
  readonly isAnonymous: boolean;
  readonly agent: Agent;
  readonly team: Team | undefined;
  readonly namespace: Namespace;
}

/** Decides which agents and teams a principal may use. */
export class Access {
  readonly #configuration: Configuration;
  readonly #anonymous: Required<Principal> | undefined;

  constructor(configuration: Configuration, anonymous: Required<Principal> | undefined) {
    this.#configuration = configuration;
    this.#anonymous = anonymous;
  }

  /**
   * What a context grants.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an agent or team that is unknown or that the principal may not use, or
   *   without a principal if there is no anonymous user.
   */
  grant(context: MemoryContext): Granted {
    const { principal, isAnonymous } = this.#principal(context.principal);
    const agent = this.agent(context.agent);
    const what = `Agent ${quoted(context.agent)}`;
    expect(isGranted(agent.sharedWith, principal), `${what} is not shared with this principal.`);
    const team = context.team === undefined ? undefined : this.#team(context.team);
    const isMember = team === undefined || isGranted(team.members, principal);
    expect(isMember, `This principal is not a member of team ${quoted(context.team ?? '')}.`);
    return { principal, isAnonymous, agent, team, namespace: memoryNamespace(agent, principal, team, context) };
  }

  /** The agent with a key. Throws `INVALID_ARGUMENT` if there is none. */
  agent(key: string): Agent {
    expect(typeof key === 'string', 'The key of an agent must be a string.');
    const { agents } = this.#configuration;
    const agent = agents.get(key);
    expect(agent, `There is no agent ${quoted(key)}. Available agents: ${[...agents.keys()].join(', ') || 'none'}.`);
    return agent;
  }

  #principal(caller: Principal | undefined): {
    readonly principal: Required<Principal>;
    readonly isAnonymous: boolean;
  } {
    const anonymous = this.#anonymous;
    if (caller === undefined || caller === anonymous) {
      expect(anonymous, "Missing principal. Pass one, or configure an anonymous user such as anonymous: 'noop'.");
      return { principal: anonymous, isAnonymous: true };
    }
    const principal = checkPrincipal(caller);
    const isTaken = principal.type === 'user' && principal.id === anonymous?.id;
    expect(!isTaken, 'This user id is reserved for calls without a principal. Change `anonymous`.');
    return { principal, isAnonymous: false };
  }

  #team(key: string): Team {
    expect(typeof key === 'string', 'The name of a team must be a string.');
    const { teams } = this.#configuration;
    const team = teams.get(key);
    expect(team, `There is no team ${quoted(key)}. Available teams: ${[...teams.keys()].join(', ') || 'none'}.`);
    return team;
  }
}

function memoryNamespace(
  agent: Agent,
  principal: Principal,
  team: Team | undefined,
  { sessionId, runId }: MemoryContext,
): Namespace {
  if (sessionId !== undefined) checkText(sessionId, 'sessionId');
  if (runId !== undefined) checkText(runId, 'runId');
  const values = {
    user_id: principal.id,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(runId !== undefined && { run_id: runId }),
    ...(team !== undefined && { team_name: team.name }),
  };
  return checkNamespace([...agent.template.resolve(values), ...ownSegments(principal)]);
}
