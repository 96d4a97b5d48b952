import type {
  DurableSession,
  JsonObject,
  MemoryEntry,
  MemoryStore,
  MemoryTool,
  Message,
  Namespace,
  RecordStore,
  SessionStore,
} from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames, memoryBlock, SEARCH_OPTIONS } from '@keepsake/core/adapter';
import type { Guard } from '../guards/guarded-records.ts';
import { GuardedSessionStore } from '../guards/guarded-session-store.ts';
import { GuardedStore } from '../guards/guarded-store.ts';
import type { Agent } from '../space/agents.ts';
import type { Places } from '../space/places.ts';
import type { Pool } from '../space/pools.ts';
import { type PreambleQuery, preambleMemories, preambleMemoriesBelow } from '../space/preamble-memories.ts';
import { isGranted, type Principal, principalName } from '../space/principal.ts';
import { actorId } from '../space/session-ids.ts';
import { type Team, teamNamespace } from '../space/teams.ts';
import { memoryTools } from '../tools/memory-tools.ts';
import type { ConversationPreambles, PreambleBlock, TurnInput } from './conversation-preambles.ts';
import { runTurn, type TurnOptions } from './turn.ts';

/** What a space passes to a scope. */
export interface ScopeParts {
  readonly store: RecordStore;
  readonly sessions: SessionStore | undefined;
  readonly places: Places;
  readonly preambles: ConversationPreambles;
  readonly principal: Required<Principal>;
  readonly isAnonymous: boolean;
  readonly agent: Agent;
  readonly namespace: Namespace;
  readonly team: Team | undefined;
  readonly runId: string | undefined;
  readonly write: Guard['write'];
}

/** Options of `MemoryScope.preamble`. */
export interface PreambleOptions {
  /** The question of the user: memories that match it come first. Without it, the newest come first. */
  readonly question?: string | undefined;
  /**
   * The maximum number of tokens, at an estimated 3 bytes of UTF-8 per token.
   *
   * @default 1000
   */
  readonly maxTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const PREAMBLE: FieldNames<PreambleOptions> = { question: true, maxTokens: true, signal: true };

/** The maximum number of memories in a preamble. */
const MAX_MEMORIES = 20;
const MAX_TOKENS = 1_000;

/**
 * A capability: what one principal may see and change through one agent. It reaches nothing else, so you can pass its
 * tools to models. Code in the same process that patches prototypes is not defended against. Create one per conversation; there is nothing to close.
 */
export class MemoryScope {
  /** The principal that uses this scope. */
  readonly principal: Required<Principal>;
  /** The namespace of the private memories, such as `['agent', 'research-assistant', 'u', 'alice']`. */
  readonly namespace: Namespace;
  /** The owner of the conversations, such as `research-assistant:u:alice`. */
  readonly actorId: string;
  /** The private memories of this principal and agent. */
  readonly memory: RecordStore;
  /** The conversations of this principal and agent, with their own ids. */
  readonly sessions: SessionStore;
  /** The names of this agent's pools that this principal may read. */
  readonly pools: readonly string[];
  readonly #parts: ScopeParts;

  constructor(parts: ScopeParts) {
    const { principal, agent, namespace, places, write } = parts;
    const actor = {
      agent: agent.name,
      owner: agent.owner,
      ...(!parts.isAnonymous && { principal }),
    };
    this.#parts = parts;
    this.principal = principal;
    this.namespace = namespace;
    this.actorId = actorId(actor);
    this.memory = new GuardedStore(places.at(namespace, { name: 'memory' }), { write });
    this.sessions = new GuardedSessionStore(parts.sessions, actor, write);
    this.pools = Object.freeze(this.#readable().map(({ name }) => name));
    Object.freeze(this);
  }

  /** The principal's name in `writtenBy` of shared entries, such as `u:alice`. */
  get writer(): string {
    return principalName(this.#parts.principal);
  }

  /** The conversation with this id; without an id, a new one. */
  session<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item> {
    return this.sessions.open(sessionId);
  }

  /**
   * A pool that this agent declares and this principal may read; read-only unless they may write. The metadata of its
   * records contains `writtenBy` and `writtenAt`.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if there is no such pool for this principal.
   */
  pool(name: string): RecordStore {
    const pool = this.#readable().find((one) => one.name === name);
    expect(pool, `There is no such pool. Available pools: ${this.pools.join(', ') || 'none'}.`);
    const writable = isGranted(pool.writers, this.principal);
    return this.#shared(pool.namespace, { name: pool.name, writable });
  }

  /** Whether this scope belongs to the run of a team. */
  get hasTeam(): boolean {
    return this.#parts.team !== undefined;
  }

  /**
   * The shared memory of the team whose run this is. Records name their writer, as in pools.
   *
   * @throws MemoryError `INVALID_ARGUMENT` outside the run of a team.
   */
  team(): RecordStore {
    const { team, runId } = this.#parts;
    expect(team, 'This scope has no team. Pass `team` to `as`.');
    return this.#shared(teamNamespace(team, runId), { name: 'team' });
  }

  /** The tools for a model: for private memory, for pools if there are any, and for the team if there is one. */
  tools(): MemoryTool[] {
    const { forgetShared } = this.#parts.agent;
    return memoryTools(() => this, { pools: this.pools.length > 0, team: this.hasTeam, forgetShared });
  }

  /**
   * Up to 20 private memories as one block of markup for a model; `undefined` if there are none. Contents are escaped, so
   * that no memory can pose as several.
   */
  async preamble(options: PreambleOptions = {}): Promise<string | undefined> {
    const { question, maxTokens = MAX_TOKENS, signal } = expectKnownFields(options, PREAMBLE);
    expect(Number.isFinite(maxTokens), '`maxTokens` must be a number.');
    const { entries, text } = await this.#block(question, maxTokens, signal);
    return entries.length === 0 ? undefined : text;
  }

  /**
   * A read-only store for a `MemoryManager`: its search returns the memories of the preamble, and its tools are those of
   * this scope. To let the manager learn, also pass it `memory`.
   */
  source(): MemoryStore {
    return {
      name: 'preamble',
      description: 'What is known of the user.',
      maxSearchResults: MAX_MEMORIES,
      writable: false,
      search: async (question, options = {}) => {
        const { maxSearchResults: limit = MAX_MEMORIES, signal } = expectKnownFields(options, SEARCH_OPTIONS);
        return (await this.#preambleMemories({ question, limit, signal })).entries.map(withKey);
      },
      tools: () => this.tools(),
    };
  }

  /**
   * Runs one turn of a conversation. `answer` receives the input with the preamble of the agent and, if the agent has
   * `autoMemory`, the turns before it. Input and answer are then stored as one batch, without the preamble. If the turn fails
   * or the answer is empty, nothing is stored.
   */
  turn(options: TurnOptions, answer: (messages: Message[]) => Promise<Message | string>): Promise<Message> {
    const scope = {
      session: (sessionId: string) => this.session<Message>(sessionId),
      withPreamble: (sessionId: string, input: TurnInput) => this.#withPreamble(sessionId, input),
    };
    return runTurn(scope, this.#parts.agent.turns, options, answer);
  }

  #withPreamble(sessionId: string, input: TurnInput): Promise<Message[]> {
    const { agent, preambles } = this.#parts;
    const key = JSON.stringify([this.namespace, this.actorId, sessionId]);
    const scope = {
      limits: { maxEntries: MAX_MEMORIES, maxTokens: MAX_TOKENS },
      source: () => this.source(),
      block: (question: string, signal: AbortSignal | undefined) => this.#block(question, MAX_TOKENS, signal),
      exist: (block: PreambleBlock) => this.#exist(block),
    };
    return agent.preamble === 'start' ? preambles.atStart(key, scope, input) : preambles.onEveryTurn(key, scope, input);
  }

  async #block(
    question: string | undefined,
    maxTokens: number,
    signal: AbortSignal | undefined,
  ): Promise<PreambleBlock> {
    const { entries, areOlder } = await this.#preambleMemories({ question, limit: MAX_MEMORIES, signal });
    return { ...memoryBlock(entries.map(withKey), maxTokens, question), areOlder };
  }

  /** Whether no memory of a preamble was deleted. Those of child namespaces can't be deleted through a scope. */
  async #exist({ entries, areOlder }: PreambleBlock): Promise<boolean> {
    if (areOlder) return true;
    const records = await Promise.all(entries.map(({ id = '' }) => this.memory.get(id)));
    return records.every((record) => record !== undefined);
  }

  #readable(): Pool[] {
    return this.#parts.agent.pools.filter(({ readers }) => isGranted(readers, this.#parts.principal));
  }

  #shared(namespace: Namespace, identity: { readonly name: string; readonly writable?: boolean }): RecordStore {
    const { places, write, principal } = this.#parts;
    return new GuardedStore(places.at(namespace, identity), { write, writtenBy: principalName(principal) });
  }

  async #preambleMemories(options: PreambleQuery): Promise<{ entries: MemoryEntry[]; areOlder: boolean }> {
    const { agent, store, namespace } = this.#parts;
    const entries = await preambleMemories(this.memory, options);
    const isEnough = entries.length > 0 || !agent.childFallback || !this.memory.capabilities.enumerate;
    if (isEnough) return { entries, areOlder: false };
    return { entries: await preambleMemoriesBelow(store, namespace, options), areOlder: true };
  }
}

/** A memory with its key in front, if the key was chosen by a caller. */
function withKey(entry: MemoryEntry): MemoryEntry {
  const { excerpt, ...rest } = entry;
  const { id, content } = rest;
  // Drops the excerpt, because its offsets do not count the key.
  return id === undefined || !isChosenKey(id) ? entry : { ...rest, content: `${id}: ${content}` };
}

/** Ids that a store generates: for texts, for messages, and UUIDs. */
const GIVEN_BY_STORE = /^(content|message)-[0-9a-f]{64}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether an id was chosen by a caller, so that it has a meaning. */
function isChosenKey(id: string): boolean {
  return !GIVEN_BY_STORE.test(id);
}
