import type { RecordStore, SessionStore } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import type { Grantee, Principal } from './principal.ts';

/** Options of `MemorySpace`. The constructor refuses invalid ones and those that would reach the memory of others. */
export interface MemorySpaceOptions {
  /** The store of all memories: the space uses the namespaces below it. You close it yourself. */
  readonly store: RecordStore;
  /** The store of all conversations. Without it, sessions and `turn` with `autoMemory` are refused. */
  readonly sessions?: SessionStore | undefined;
  /** The agents by name. */
  readonly agents: Readonly<Record<string, AgentMemory>>;
  /** The pools by name, such as `org:engineering-docs`, or by the template that agents declare. */
  readonly pools?: Readonly<Record<string, PoolAccess>> | undefined;
  /** The teams by name. */
  readonly teams?: Readonly<Record<string, TeamMemory>> | undefined;
  /**
   * The user id for calls without a principal, such as `noop`: they all share its memory. By default, such calls are
   * refused.
   */
  readonly anonymous?: string | undefined;
  /**
   * Which namespaces besides `u:alice`, at any depth, belong to a user, with everything below them, for `eraseUser` and
   * `exportUser`. Each pattern has `{user_id}` as a segment; `*` stands for one segment, `**` at the beginning for any number.
   * Ids of sessions that a space did not make follow the same rules: `u:alice:monday` is a session of Alice.
   *
   * @default []
   */
  readonly userNamespaces?: readonly string[] | undefined;
  /**
   * Where else there is data of users, by name: `eraseUser` and `exportUser` include it. A `ConversationMemory` is one, so are
   * `userWorkspaces` of `@keepsake/workspace`, and a `MemorySpace` over another store.
   */
  readonly userData?: Readonly<Record<string, UserData>> | undefined;
}

/** Data of users outside the store of a space. */
export interface UserData {
  /**
   * Removes all data of a user, or only counts it. Can be called again after an interruption. With `compact`, storage keeps no copy
   * of what was deleted.
   */
  eraseUser(userId: string, options: { readonly dryRun: boolean; readonly compact: boolean }): Promise<object>;
  /** All data of a user as JSON lines, each with its line break. */
  exportUser(userId: string): AsyncIterable<string>;
}

export const MEMORY_SPACE: FieldNames<MemorySpaceOptions> = {
  store: true,
  sessions: true,
  agents: true,
  pools: true,
  teams: true,
  anonymous: true,
  userNamespaces: true,
  userData: true,
};

/** The memory of an agent. */
export interface AgentMemory {
  /**
   * Its name in namespaces. Two owners may have agents with the same name.
   *
   * @default The key.
   */
  readonly name?: string | undefined;
  /** The user who owns it. */
  readonly owner?: string | undefined;
  /**
   * The namespace of its private memories; the user is appended. Placeholders: `{agent_name}`, `{agent_owner}`,
   * `{session_id}` (dropped, see `sessionIsolated`), `{user_id}`, `{team_name}`, `{run_id}`.
   *
   * @default 'agent:{agent_name}'
   */
  readonly namespace?: string | undefined;
  /**
   * Whether each session sees only its own memories. By default, memories last across sessions.
   *
   * @default false
   */
  readonly sessionIsolated?: boolean | undefined;
  /** The pools that it uses, as templates with `{agent_name}` and `{agent_owner}`. This grants no access. */
  readonly sharedNamespaces?: readonly string[] | undefined;
  /** Who may use the agent: by default its owner, or everyone if it has none. It never changes a namespace. */
  readonly sharedWith?: readonly Grantee[] | undefined;
  /**
   * Whether turns are stored in the session, and how many of them a turn receives. `true` means 10 turns.
   *
   * @default false
   */
  readonly autoMemory?: boolean | { readonly turns: number } | undefined;
  /**
   * Where `turn` puts the preamble: once in front of the first message that the model gets to see (`start`), or behind every
   * message of the user, with what is new for it (`everyTurn`). Either way it stays there, so that prompt caches stay valid.
   *
   * @default 'start'
   */
  readonly preamble?: 'start' | 'everyTurn' | undefined;
  /**
   * Whether the preamble of an empty memory reads its child namespaces, which have memories per session.
   *
   * @default true
   */
  readonly childFallback?: boolean | undefined;
  /**
   * Which entries of pools and of the team the tools of a model may remove: those that its principal wrote last, any, or
   * none, which leaves `forget_in_pool` and `forget_shared` out.
   *
   * @default 'own'
   */
  readonly forgetShared?: 'own' | 'any' | 'none' | undefined;
}

export const AGENT: FieldNames<AgentMemory> = {
  name: true,
  owner: true,
  namespace: true,
  sessionIsolated: true,
  sharedNamespaces: true,
  sharedWith: true,
  autoMemory: true,
  preamble: true,
  childFallback: true,
  forgetShared: true,
};

/** Who may read and write a pool. Its owner may do both. */
export interface PoolAccess {
  readonly owner?: Grantee | undefined;
  readonly readers?: readonly Grantee[] | undefined;
  /** Every writer must also be a reader. */
  readonly writers?: readonly Grantee[] | undefined;
}

export const POOL: FieldNames<PoolAccess> = { owner: true, readers: true, writers: true };

/** The shared memory of a team. */
export interface TeamMemory {
  /**
   * Its name in namespaces. Two owners may have teams with the same name.
   *
   * @default The key.
   */
  readonly name?: string | undefined;
  /** The user who owns it. Its namespace then ends with this user. */
  readonly owner?: string | undefined;
  /**
   * The namespace of its memories; may contain `{run_id}`.
   *
   * @default 'team:{team_name}'
   */
  readonly namespace?: string | undefined;
  /** Its members in addition to the owner; `*` for everyone. */
  readonly members?: readonly Grantee[] | undefined;
}

export const TEAM: FieldNames<TeamMemory> = { name: true, owner: true, namespace: true, members: true };

/** The principal and the agent of a call. */
export interface MemoryContext {
  /** Optional if the space has an `anonymous` user. */
  readonly principal?: Principal | undefined;
  /** The key of the agent. */
  readonly agent: string;
  /** The key of the team whose run this is. */
  readonly team?: string | undefined;
  /** Required for agents with `sessionIsolated`. */
  readonly sessionId?: string | undefined;
  /** Required for namespaces with `{run_id}`. */
  readonly runId?: string | undefined;
}

export const MEMORY_CONTEXT: FieldNames<MemoryContext> = {
  principal: true,
  agent: true,
  team: true,
  sessionId: true,
  runId: true,
};
