import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type ListOptions,
  type MemoryRecord,
  type MemoryTool,
  type Namespace,
  type NamespaceInfo,
  type Page,
  parseNamespace,
  type RecordStore,
  type SessionStore,
} from '@keepsake/core';
import { checkNamespace, expect, expectKnownFields } from '@keepsake/core/adapter';
import { ERASE, type EraseOptions, type ErasureReceipt, eraseUser, type UserPlaces } from './erasure/erase-user.ts';
import { exportUser } from './erasure/export-user.ts';
import { WriteGate } from './guards/write-gate.ts';
import { ConversationPreambles } from './scope/conversation-preambles.ts';
import { MemoryScope } from './scope/memory-scope.ts';
import { Access } from './space/access.ts';
import { checkUserData, copyOptions } from './space/check-options.ts';
import { type Configuration, configure, declaredNamespaces } from './space/configuration.ts';
import {
  type ActorView,
  INSPECT,
  type InspectOptions,
  Inspector,
  type NamespaceDescription,
  type NamespaceView,
} from './space/inspect.ts';
import { Owners } from './space/owners.ts';
import { Places } from './space/places.ts';
import { asPrincipal, checkPrincipal, type Principal } from './space/principal.ts';
import { MEMORY_CONTEXT, type MemoryContext, type MemorySpaceOptions } from './space/space-options.ts';
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
  readonly #access: Access;
  readonly #owners: Owners;
  readonly #userData: UserPlaces['userData'];
  readonly #places: Places;
  readonly #preambles = new ConversationPreambles();
  readonly #writeGate = new WriteGate();
  readonly #context = new AsyncLocalStorage<MemoryContext>();

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options, with the name of the agent, pool or team. */
  constructor(options: MemorySpaceOptions) {
    const checkedOptions = copyOptions(options);
    const { store, sessions, anonymous } = checkedOptions;
    expect(typeof store?.within === 'function', '`store` must be a record store such as `new InMemoryStore()`.');
    expect(!sessions || typeof sessions.open === 'function', '`sessions` must be a session store.');
    this.#store = store;
    this.#sessions = sessions;
    this.#configuration = configure(checkedOptions);
    const nobody = anonymous === undefined ? undefined : checkPrincipal({ id: anonymous }, 'anonymous');
    this.#access = new Access(this.#configuration, nobody);
    this.#owners = new Owners(checkedOptions.userNamespaces, {
      isShared: declaredNamespaces(this.#configuration),
      actors: [...this.#configuration.agents.values()].map(({ name, owner }) => ({ agent: name, owner })),
      anonymous: nobody,
    });
    this.#userData = checkUserData(checkedOptions.userData);
    this.#places = new Places(store);
  }

  /**
   * Returns what a principal may see and change through an agent. Writes nothing; nothing has to be closed.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an agent or team that is unknown or that the principal may not use, or
   *   without a principal if the space has no `anonymous` user.
   */
  as(context: MemoryContext): MemoryScope {
    const checkedContext = expectKnownFields(context, MEMORY_CONTEXT);
    const granted = this.#access.grant(checkedContext);
    return new MemoryScope({
      store: this.#store,
      sessions: this.#sessions,
      places: this.#places,
      preambles: this.#preambles,
      ...granted,
      runId: checkedContext.runId,
      write: (work) => this.#writeGate.write(granted.principal, work),
    });
  }

  /**
   * Runs `work` in a context, which {@link current} and {@link tools} find in everything that it calls and awaits. Contexts
   * can be nested.
   */
  run<T>(context: MemoryContext, work: (scope: MemoryScope) => T): T {
    const checkedContext = expectKnownFields(context, MEMORY_CONTEXT);
    const scope = this.as(checkedContext);
    return this.#context.run({ ...checkedContext, principal: scope.principal }, () => work(scope));
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
    const { pools, forgetShared } = this.#access.agent(agent);
    const choice = { pools: pools.length > 0, team: this.#configuration.teams.size > 0, forgetShared };
    // The same for all users, so that it names no pool that one of them may not read.
    const poolNames = pools.filter(({ readers }) => readers.includes('*')).map(({ name }) => name);
    return memoryTools(() => this.current(agent), { ...choice, poolNames });
  }

  /** The namespaces below a namespace that contain its memories: none of another user and no outbox. */
  children(namespace: Namespace | string): Promise<NamespaceInfo[]> {
    return children(this.#store, readNamespace(namespace));
  }

  /**
   * The namespaces that contain records, sorted by name, and then the pools: of all agents and users, of an agent, or what
   * belongs to a principal. Reads the list of all namespaces.
   */
  async inspect(options: InspectOptions = {}): Promise<NamespaceView[]> {
    const { agent, principal } = expectKnownFields(options, INSPECT);
    if (agent !== undefined) this.#access.agent(agent);
    return this.#inspector().namespaces({ agent, principal: principal && checkPrincipal(principal) });
  }

  /** Names a namespace as {@link inspect} does. Reads nothing, and the namespace need not exist. */
  describe(namespace: Namespace | string): NamespaceDescription {
    return this.#inspector().describe(readNamespace(namespace));
  }

  /** Whom a session of the session store belongs to, by its stored id. Reads nothing. */
  sessionOwner(sessionId: string): Required<Principal> | undefined {
    const owner = this.#owners.ofSession(sessionId);
    return owner && { id: owner.id, type: owner.type ?? 'user' };
  }

  /** The agents and principals that have memory, apart from pools and teams. Reads the list of all namespaces. */
  actors(): Promise<ActorView[]> {
    return this.#inspector().actors();
  }

  /** A page of the records of a namespace, newest first by default, such as those of a view of {@link inspect}. */
  async records(namespace: Namespace | string, options: ListOptions = {}): Promise<Page<MemoryRecord>> {
    return this.#store.within(readNamespace(namespace)).list(options);
  }

  /**
   * Removes all data of a principal in all agents: private memories and everything below them, conversations, the `userData`
   * and, if requested, their shared entries. Repeats until a full pass finds nothing; until then, their writes through this space
   * are refused with `CONFLICT`. Safe to interrupt and run again; the receipt counts what this call removed. To erase the
   * `anonymous` user, pass its id.
   *
   * @param principal - The id of a user, or a principal.
   * @throws MemoryError `CONFLICT` if other processes keep writing for this principal.
   */
  eraseUser(principal: Principal | string, options: EraseOptions = {}): Promise<ErasureReceipt> {
    const who = checkPrincipal(asPrincipal(principal));
    const checkedOptions = expectKnownFields(options, ERASE);
    return this.#writeGate.without(who, () => eraseUser(this.#userPlaces, who, checkedOptions));
  }

  /**
   * Exports all data of a principal as JSON lines, starting with a header. The guide describes the lines.
   *
   * @param principal - The id of a user, or a principal.
   */
  exportUser(principal: Principal | string): AsyncGenerator<string> {
    return exportUser(this.#userPlaces, checkPrincipal(asPrincipal(principal)));
  }

  /** Waits for writes and closes the namespaces that were opened; scopes are closed as well. */
  close(): Promise<void> {
    return this.#places.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #inspector(): Inspector {
    return new Inspector(this.#store, this.#configuration, this.#owners);
  }

  get #userPlaces(): UserPlaces {
    return { store: this.#store, sessions: this.#sessions, owners: this.#owners, userData: this.#userData };
  }
}

function readNamespace(namespace: Namespace | string): Namespace {
  return typeof namespace === 'string' ? parseNamespace(namespace) : checkNamespace(namespace);
}
