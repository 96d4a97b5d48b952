import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type MemoryTool,
  type Namespace,
  type NamespaceInfo,
  parseNamespace,
  type RecordStore,
  type SessionStore,
} from '@keepsake/core';
import { checkNamespace, expect, expectKnownFields, quoted } from '@keepsake/core/adapter';
import { ERASE, type EraseOptions, type ErasureReceipt, eraseUser } from './erasure/erase-user.ts';
import { exportUser } from './erasure/export-user.ts';
import { WriteGate } from './guards/write-gate.ts';
import { MemoryScope } from './scope/memory-scope.ts';
import { type Agent, type Configuration, configure, type Team } from './space/configuration.ts';
import { inspectAgent, type NamespaceView } from './space/inspect.ts';
import { type MigrationResult, migrateRecords } from './space/migrate.ts';
import { Places } from './space/places.ts';
import { checkPrincipal, checkText, isGranted, ownSegments, type Principal, principalName } from './space/principal.ts';
import type { Actor } from './space/session-ids.ts';
import { MEMORY_CONTEXT, MEMORY_SPACE, type MemoryContext, type MemorySpaceOptions } from './space/space-options.ts';
import { children } from './space/tree.ts';
import { memoryTools } from './tools/memory-tools.ts';

/**
 * Access control for the memory in one store: private memory for each user of an agent, pools, and team memory.
 * {@link MemorySpace.as} returns what one principal can reach; all other methods are for the operator. The space opens no
 * connection and does not close the store and the sessions.
 *
 * @example
 * const space = new MemorySpace({ store, sessions, agents: { assistant: {} } });
 * const alice = space.as({ principal: { id: 'alice' }, agent: 'assistant' });
 * await alice.memory.add('Prefers aisle seats');
 */
export class MemorySpace {
  readonly #store: RecordStore;
  readonly #sessions: SessionStore | undefined;
  readonly #configuration: Configuration;
  readonly #anonymous: Required<Principal> | undefined;
  readonly #places: Places;
  readonly #writeGate = new WriteGate();
  readonly #context = new AsyncLocalStorage<MemoryContext>();

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options, with the name of the agent, pool or team. */
  constructor(options: MemorySpaceOptions) {
    expectKnownFields(options, MEMORY_SPACE);
    const { store, sessions, anonymous } = options;
    expect(typeof store?.within === 'function', '`store` must be a record store such as `new InMemoryStore()`.');
    expect(!sessions || typeof sessions.open === 'function', '`sessions` must be a session store.');
    this.#store = store;
    this.#sessions = sessions;
    this.#configuration = configure(options);
    this.#anonymous = anonymous === undefined ? undefined : checkPrincipal({ id: anonymous }, 'anonymous');
    this.#places = new Places(store);
  }

  /**
   * Returns what a principal may see and change through an agent. Writes nothing; nothing has to be closed.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an agent or team that is unknown or that the principal may not use, or
   *   without a principal if the space has no `anonymous` user.
   */
  as(context: MemoryContext): MemoryScope {
    expectKnownFields(context, MEMORY_CONTEXT);
    const { principal, isAnonymous } = this.#principal(context.principal);
    const agent = this.#agent(context.agent);
    const what = `Agent ${quoted(context.agent)}`;
    expect(isGranted(agent.sharedWith, principal), `${what} is not shared with this principal.`);
    const team = context.team === undefined ? undefined : this.#team(context.team);
    const isMember = team === undefined || isGranted(team.members, principal);
    expect(isMember, `This principal is not a member of team ${quoted(String(context.team))}.`);
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
      write: (work) => this.#writeGate.write(principal, work),
    });
  }

  /**
   * Runs `work` in a context, which {@link current} and {@link tools} find in everything that it calls and awaits. Contexts
   * can be nested.
   */
  run<T>(context: MemoryContext, work: (scope: MemoryScope) => T): T {
    const scope = this.as(context);
    return this.#context.run({ ...context, principal: scope.principal }, () => work(scope));
  }

  /**
   * The scope of the current context, for its agent or another one.
   *
   * @throws MemoryError `INVALID_ARGUMENT` outside of any context.
   */
  current(agent?: string): MemoryScope {
    const context = this.#context.getStore();
    expect(context, 'There is no current principal: this is outside of run().');
    return this.as(agent === undefined ? context : { ...context, agent });
  }

  /**
   * The tools of an agent, for frameworks that register tools once for all users. Each call acts for the principal of the
   * current context and is refused outside of one.
   */
  tools(agent: string): MemoryTool[] {
    const { pools } = this.#agent(agent);
    const choice = { pools: pools.length > 0, team: this.#configuration.teams.size > 0 };
    return memoryTools(() => this.current(agent), { ...choice, poolNames: pools.map(({ name }) => name) });
  }

  /** The namespaces below a namespace that contain its memories: none of another user and no outbox. */
  children(namespace: Namespace | string): Promise<NamespaceInfo[]> {
    return children(this.#store, readNamespace(namespace));
  }

  /**
   * Moves the memories of a namespace and its children to another. If several have the same id, including those already at
   * `to`, the newest stays, with its `createdAt`. Safe to interrupt and run again.
   */
  migrate(
    from: Namespace | string,
    to: Namespace | string,
    options: { readonly dryRun?: boolean | undefined } = {},
  ): Promise<MigrationResult> {
    expectKnownFields(options, { dryRun: true });
    return migrateRecords(this.#store, readNamespace(from), readNamespace(to), options.dryRun ?? false);
  }

  /** The namespaces of an agent that contain records, of all its users, including child namespaces; and its pools. */
  inspect(options: { readonly agent: string }): Promise<NamespaceView[]> {
    expectKnownFields(options, { agent: true });
    const found = this.#agent(options.agent);
    const others = [...this.#configuration.agents.values()].filter((other) => other !== found);
    return inspectAgent(this.#store, found, others);
  }

  /**
   * Removes all data of a principal in all agents: private memories and everything below them, conversations and, if
   * requested, their shared entries. Repeats until a full pass finds nothing; until then, their writes through this space
   * are refused with `CONFLICT`. Safe to interrupt and run again; the receipt counts what this call removed. To erase the
   * `anonymous` user, pass its id.
   *
   * @throws MemoryError `CONFLICT` if other processes keep writing for this principal.
   */
  eraseUser(principal: Principal, options: EraseOptions = {}): Promise<ErasureReceipt> {
    const who = checkPrincipal(principal);
    expectKnownFields(options, ERASE);
    return this.#writeGate.without(who, () =>
      eraseUser(this.#store, this.#sessions, who, this.#withoutAuth(who), options),
    );
  }

  /** Exports all data of a principal as JSON lines, starting with a header. The guide describes the lines. */
  exportUser(principal: Principal): AsyncGenerator<string> {
    const who = checkPrincipal(principal);
    return exportUser(this.#store, this.#sessions, who, this.#withoutAuth(who));
  }

  /** Waits for writes and closes the namespaces that were opened; scopes are closed as well. */
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
      expect(anonymous, "Missing principal. Pass one, or configure an anonymous user such as anonymous: 'noop'.");
      return { principal: anonymous, isAnonymous: true };
    }
    const principal = checkPrincipal(given);
    const isTaken = principal.type === 'user' && principal.id === anonymous?.id;
    expect(!isTaken, 'This user id is reserved for calls without a principal. Change `anonymous`.');
    return { principal, isAnonymous: false };
  }

  /** The actors of the anonymous user, whose ids contain no principal; empty for any other principal. */
  #withoutAuth(principal: Principal): Actor[] {
    const anonymous = this.#anonymous;
    const isAnonymous = anonymous !== undefined && principalName(anonymous) === principalName(principal);
    const agents = isAnonymous ? [...this.#configuration.agents.values()] : [];
    return agents.map(({ name, owner }) => ({ agent: name, owner }));
  }

  #agent(key: string): Agent {
    const { agents } = this.#configuration;
    const agent = agents.get(key);
    expect(
      agent,
      `There is no agent ${quoted(String(key))}. Available agents: ${[...agents.keys()].join(', ') || 'none'}.`,
    );
    return agent;
  }

  #team(key: string): Team {
    const { teams } = this.#configuration;
    const team = teams.get(key);
    expect(
      team,
      `There is no team ${quoted(String(key))}. Available teams: ${[...teams.keys()].join(', ') || 'none'}.`,
    );
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
