import { AsyncLocalStorage } from 'node:async_hooks';
import {
  checkNamespace,
  type MemoryTool,
  type Namespace,
  type NamespaceInfo,
  parseNamespace,
  type RecordStore,
  type SessionStore,
} from '@keepsake/core';
import { type EraseOptions, type ErasureReceipt, eraseUser } from './erasure/erase-user.ts';
import { exportUser } from './erasure/export-user.ts';
import { expect, quoted } from './guards/expect.ts';
import { Fence } from './guards/write-gate.ts';
import { MemoryScope } from './scope/memory-scope.ts';
import { type Agent, type Configuration, configure, type Team } from './space/configuration.ts';
import { inspectAgent, type NamespaceView } from './space/inspect.ts';
import { type MigrationResult, migrateRecords } from './space/migrate.ts';
import { Places } from './space/places.ts';
import { checkPrincipal, checkText, lets, ownSegments, type Principal, principalName } from './space/principal.ts';
import type { Actor } from './space/session-ids.ts';
import type { MemoryContext, MemorySpaceOptions } from './space/space-options.ts';
import { children } from './space/tree.ts';
import { memoryTools } from './tools/memory-tools.ts';

/**
 * Who may see what, in one store: private memory for each user of an agent, pools, and memory of teams.
 *
 * What a principal can reach is what {@link MemorySpace.as} gives; all else here is for whoever runs the agents. The space
 * opens no connection, and closes neither the store nor the sessions that it is given.
 */
export class MemorySpace {
  readonly #store: RecordStore;
  readonly #sessions: SessionStore | undefined;
  readonly #configuration: Configuration;
  readonly #anonymous: Required<Principal> | undefined;
  readonly #places: Places;
  readonly #fence = new Fence();
  readonly #context = new AsyncLocalStorage<MemoryContext>();

  /** @throws MemoryError `INVALID_ARGUMENT` for whatever can't work, with the name of the agent, pool or team. */
  constructor(options: MemorySpaceOptions) {
    const { store, sessions, anonymous } = options ?? {};
    expect(typeof store?.within === 'function', 'store is to be a record store, such as new InMemoryStore().');
    expect(!sessions || typeof sessions.open === 'function', 'sessions is to be a session store.');
    this.#store = store;
    this.#sessions = sessions;
    this.#configuration = configure(options);
    this.#anonymous = anonymous === undefined ? undefined : checkPrincipal({ id: anonymous }, 'anonymous');
    this.#places = new Places(store);
  }

  /**
   * What a principal may see and change through an agent. Writes nothing.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an unknown agent or team, one that the principal may not use, or where
   *   nobody asks and the space has no `anonymous` user.
   */
  as(context: MemoryContext): MemoryScope {
    const { principal, isAnonymous } = this.#principal(context.principal);
    const agent = this.#agent(context.agent);
    const what = `Agent ${quoted(context.agent)}`;
    expect(lets(agent.sharedWith, principal), `${what} is not shared with this principal.`);
    const team = context.team === undefined ? undefined : this.#team(context.team);
    const isMember = team === undefined || lets(team.members, principal);
    expect(isMember, `This principal is no member of team ${quoted(String(context.team))}.`);
    return new MemoryScope({
      store: this.#store,
      sessions: this.#sessions,
      places: this.#places,
      principal,
      isAnonymous,
      agent,
      namespace: memoryNamespace(agent, principal, team, context),
      team,
      runId: context.runId,
      write: (work) => this.#fence.write(principal, work),
    });
  }

  /**
   * Does work in a context, which {@link current} and {@link tools} find in all that it calls and awaits. Where contexts
   * are nested, the outer one is back when the inner one ends.
   */
  run<T>(context: MemoryContext, work: (scope: MemoryScope) => T): T {
    const scope = this.as(context);
    return this.#context.run({ ...context, principal: scope.principal }, () => work(scope));
  }

  /**
   * What the principal of the current context may see, through its agent or another.
   *
   * @throws MemoryError `INVALID_ARGUMENT` outside any context.
   */
  current(agent?: string): MemoryScope {
    const context = this.#context.getStore();
    expect(context, 'Nobody asks here: this is outside of run().');
    return this.as(agent === undefined ? context : { ...context, agent });
  }

  /**
   * The tools of an agent, for frameworks that are given them once for all users: each call is made for the principal of
   * the current context, and refused outside of one.
   */
  tools(agent: string): MemoryTool[] {
    const { pools } = this.#agent(agent);
    const choice = { pools: pools.length > 0, team: this.#configuration.teams.size > 0 };
    return memoryTools(() => this.current(agent), { ...choice, poolNames: pools.map(({ name }) => name) });
  }

  /** The namespaces below one that hold memories of it, by segments: none of a user's below another's, and no outbox. */
  children(namespace: Namespace | string): Promise<NamespaceInfo[]> {
    return children(this.#store, readNamespace(namespace));
  }

  /**
   * Moves the memories at a namespace, and at its children, to another, for good; of several of one id the newest stays,
   * with its `createdAt`. What lies at `to` already takes part. It can be cut off and run again. Whether a record was kept
   * out of search can't be read: those that are moved are in.
   */
  migrate(
    from: Namespace | string,
    to: Namespace | string,
    { dryRun = false }: { readonly dryRun?: boolean } = {},
  ): Promise<MigrationResult> {
    return migrateRecords(this.#store, readNamespace(from), readNamespace(to), dryRun);
  }

  /** The namespaces of an agent that hold something, of all its users, with what lies below them; and its pools. */
  inspect({ agent }: { readonly agent: string }): Promise<NamespaceView[]> {
    const found = this.#agent(agent);
    const others = [...this.#configuration.agents.values()].filter((other) => other !== found);
    return inspectAgent(this.#store, found, others);
  }

  /**
   * Removes all that is a principal's, of all agents: private memories and what lies below them, such as a manager's outbox,
   * conversations, and on demand what they have shared. What they write through this space meanwhile is refused with
   * `CONFLICT`. When it is done, a look at everything has found nothing. It can be cut off and run again; the receipt
   * counts what this call has removed. The `anonymous` user is erased by that id, too.
   *
   * @throws MemoryError `CONFLICT` where other processes keep writing for them.
   */
  eraseUser(principal: Principal, options: EraseOptions = {}): Promise<ErasureReceipt> {
    const who = checkPrincipal(principal);
    return this.#fence.without(who, () => eraseUser(this.#store, this.#sessions, who, this.#withoutAuth(who), options));
  }

  /** All that there is of a principal, as lines of JSON; the first says what it is. See the guide for the others. */
  exportUser(principal: Principal): AsyncGenerator<string> {
    const who = checkPrincipal(principal);
    return exportUser(this.#store, this.#sessions, who, this.#withoutAuth(who));
  }

  /** Waits for writes, and lets go of the places in the store that were used; scopes are closed with it. */
  close(): Promise<void> {
    return this.#places.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #principal(given: Principal | undefined): {
    readonly principal: Required<Principal>;
    readonly isAnonymous: boolean;
  } {
    const anonymous = this.#anonymous;
    if (given === undefined || given === anonymous) {
      expect(anonymous, "Who asks? Give a principal, or the space an anonymous user, such as anonymous: 'noop'.");
      return { principal: anonymous, isAnonymous: true };
    }
    const principal = checkPrincipal(given);
    const isTaken = principal.type === 'user' && principal.id === anonymous?.id;
    expect(!isTaken, 'No user can have the id that stands for those without auth. Change anonymous.');
    return { principal, isAnonymous: false };
  }

  /** The actors of the anonymous user, whose ids name no principal; of any other principal there are none. */
  #withoutAuth(principal: Principal): Actor[] {
    const anonymous = this.#anonymous;
    const isAnonymous = anonymous !== undefined && principalName(anonymous) === principalName(principal);
    const agents = isAnonymous ? [...this.#configuration.agents.values()] : [];
    return agents.map(({ name, owner }) => ({ agent: name, owner }));
  }

  #agent(key: string): Agent {
    const { agents } = this.#configuration;
    const agent = agents.get(key);
    expect(agent, `There is no agent ${quoted(String(key))}. There are: ${[...agents.keys()].join(', ') || 'none'}.`);
    return agent;
  }

  #team(key: string): Team {
    const { teams } = this.#configuration;
    const team = teams.get(key);
    expect(team, `There is no team ${quoted(String(key))}. There are: ${[...teams.keys()].join(', ') || 'none'}.`);
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

function readNamespace(namespace: Namespace | string): Namespace {
  return typeof namespace === 'string' ? parseNamespace(namespace) : checkNamespace(namespace);
}
