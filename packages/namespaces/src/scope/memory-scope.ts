import {
  type DurableSession,
  type JsonObject,
  type MemoryEntry,
  type MemoryStore,
  type MemoryTool,
  type Message,
  memoryBlock,
  type Namespace,
  type RecordStore,
  type SessionStore,
} from '@keepsake/core';
import { expect } from '../guards/expect.ts';
import { GuardedSessionStore } from '../guards/guarded-session-store.ts';
import { type Guard, GuardedStore } from '../guards/guarded-store.ts';
import { type Agent, type Pool, type Team, teamNamespace } from '../space/configuration.ts';
import { isChosenKey } from '../space/keys.ts';
import type { Places } from '../space/places.ts';
import { type KnownOptions, knownAt, knownBelow } from '../space/preamble-memories.ts';
import { lets, type Principal, principalName } from '../space/principal.ts';
import { actorId } from '../space/session-ids.ts';
import { memoryTools } from '../tools/memory-tools.ts';
import { runTurn, type TurnOptions } from './turn.ts';

/** What a space makes a capability of. */
export interface ScopeParts {
  readonly store: RecordStore;
  readonly sessions: SessionStore | undefined;
  readonly places: Places;
  readonly principal: Required<Principal>;
  readonly isAnonymous: boolean;
  readonly agent: Agent;
  readonly namespace: Namespace;
  readonly team: Team | undefined;
  readonly runId: string | undefined;
  readonly write: Guard['write'];
}

/** How a preamble is made. */
export interface PreambleOptions {
  /** What the user asks: memories that fit it come first. Without it, the newest come first. */
  readonly question?: string;
  /** At most so many tokens, where a token is taken for 3 bytes of UTF-8. Default 1,000. */
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/** So many memories are in a preamble at most. */
const MAX_MEMORIES = 20;

/**
 * What one principal may see and change through one agent: a capability. Nothing else can be reached through it, whatever
 * is asked of it, so it can be handed to code and models that are not trusted.
 *
 * It opens nothing that would have to be closed. Make one a conversation.
 */
export class MemoryScope {
  /** Who asks. */
  readonly principal: Required<Principal>;
  /** Where the private memories are, such as `['agent', 'research-assistant', 'u', 'alice']`. */
  readonly namespace: Namespace;
  /** Whose the conversations are, such as `research-assistant:u:alice`. */
  readonly actorId: string;
  /** The private memories of this principal and agent. */
  readonly memory: RecordStore;
  /** The conversations of this principal and agent, by ids of their own. */
  readonly sessions: SessionStore;
  /** The names of the pools of this agent that this principal may read. */
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
  }

  /** The conversation of that id, a new one where none is given. */
  session<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item> {
    return this.sessions.open(sessionId);
  }

  /**
   * A pool that this agent declares and this principal may read; it is for reading alone where they may not write.
   * Its records say in their metadata `writtenBy` whom they were, and `writtenAt` when.
   *
   * @throws MemoryError `INVALID_ARGUMENT` where there is none of that name for them.
   */
  pool(name: string): RecordStore {
    const pool = this.#readable().find((one) => one.name === name);
    expect(pool, `There is no pool of that name here. There are: ${this.pools.join(', ') || 'none'}.`);
    const writable = lets(pool.writers, this.principal);
    return this.#shared(pool.namespace, { name: pool.name, writable });
  }

  /** Whether this is in the run of a team. */
  get hasTeam(): boolean {
    return this.#parts.team !== undefined;
  }

  /**
   * What the team shares, in whose run this is. Records say who wrote them, as those of pools.
   *
   * @throws MemoryError `INVALID_ARGUMENT` where it is in no team's.
   */
  team(): RecordStore {
    const { team, runId } = this.#parts;
    expect(team, 'This is in no team. Make it with team: the name of one.');
    return this.#shared(teamNamespace(team, runId), { name: 'team' });
  }

  /** The tools for a model: for the private memory, for pools where there are any, for the team where there is one. */
  tools(): MemoryTool[] {
    return memoryTools(() => this, { pools: this.pools.length > 0, team: this.hasTeam });
  }

  /**
   * What is known, for a model to read: private memories as one block of markup, up to 20, in which none can pose as more
   * than one. `undefined` where there are none.
   */
  async preamble({ question, maxTokens = 1_000, signal }: PreambleOptions = {}): Promise<string | undefined> {
    expect(Number.isFinite(maxTokens), 'maxTokens is to be a number.');
    const found = await this.#known({ question, limit: MAX_MEMORIES, signal });
    const { entries, text } = memoryBlock(found.map(withKey), maxTokens, question);
    return entries.length === 0 ? undefined : text;
  }

  /**
   * A store for a `MemoryManager`: what it finds is what the preamble would say, and its tools are these tools. It is for
   * reading; give the manager `memory` beside it where it is to learn.
   */
  source(): MemoryStore {
    return {
      name: 'preamble',
      description: 'What is known of the user.',
      maxSearchResults: MAX_MEMORIES,
      writable: false,
      search: async (question, { maxSearchResults: limit = MAX_MEMORIES, signal } = {}) =>
        (await this.#known({ question, limit, signal })).map(withKey),
      tools: () => this.tools(),
    };
  }

  /**
   * One turn of a conversation: `answer` gets the turns before it, where the agent has `autoMemory`, and what is asked
   * with the preamble at its end. What was asked and answered is then stored as one batch; of a turn that fails, or whose
   * answer is empty, nothing is.
   */
  turn(options: TurnOptions, answer: (messages: Message[]) => Promise<Message | string>): Promise<Message> {
    return runTurn(this, this.#parts.agent.turns, options, answer);
  }

  #readable(): Pool[] {
    return this.#parts.agent.pools.filter(({ readers }) => lets(readers, this.#parts.principal));
  }

  #shared(namespace: Namespace, identity: { readonly name: string; readonly writable?: boolean }): RecordStore {
    const { places, write, principal } = this.#parts;
    return new GuardedStore(places.at(namespace, identity), { write, writtenBy: principalName(principal) });
  }

  async #known(options: KnownOptions): Promise<MemoryEntry[]> {
    const { agent, store, namespace } = this.#parts;
    const found = await knownAt(this.memory, options);
    if (found.length > 0 || !agent.childFallback || !this.memory.capabilities.enumerate) return found;
    return knownBelow(store, namespace, options);
  }
}

/** A memory with the key that it can be recalled by, where somebody has chosen one. */
function withKey(entry: MemoryEntry): MemoryEntry {
  const { excerpt, ...rest } = entry;
  const { id, content } = rest;
  // The excerpt is a part of the content without the key.
  return id === undefined || !isChosenKey(id) ? entry : { ...rest, content: `${id}: ${content}` };
}
