import type { RecordStore, SessionStore } from '@keepsake/core';
import type { Grantee, Principal } from './principal.ts';

/** How a `MemorySpace` is set up. What can't work, or would lead into another's memory, is refused at once. */
export interface MemorySpaceOptions {
  /** Where memories live: the space uses what lies below it. It stays open: close it yourself. */
  readonly store: RecordStore;
  /** Where conversations live. Without it, sessions and `turn` are refused. */
  readonly sessions?: SessionStore;
  /** The agents, by name. */
  readonly agents: Readonly<Record<string, AgentMemory>>;
  /** The pools, by name, such as `org:engineering-docs`, or by the template by which agents declare them. */
  readonly pools?: Readonly<Record<string, PoolAccess>>;
  /** The teams, by name. */
  readonly teams?: Readonly<Record<string, TeamMemory>>;
  /**
   * What stands for the user where there is no auth, such as `noop`: all share the memory of that id. By default, nobody
   * gets in without a principal.
   */
  readonly anonymous?: string;
}

/** What an agent remembers, and where. */
export interface AgentMemory {
  /** What it is called in namespaces. By default its key; two owners may have agents of the same name. */
  readonly name?: string;
  /** The user that it belongs to. */
  readonly owner?: string;
  /**
   * Where its private memories are, but for the user, who is appended. By default `agent:{agent_name}`. Placeholders:
   * `{agent_name}`, `{agent_owner}`, `{session_id}` (left out, see `sessionIsolated`), `{user_id}`, `{team_name}`, `{run_id}`.
   */
  readonly namespace?: string;
  /** Whether a session sees what it has stored alone. Default false: memories last across sessions. */
  readonly sessionIsolated?: boolean;
  /** The pools that it uses, as templates of `{agent_name}` and `{agent_owner}`. Says nothing of who may see them. */
  readonly sharedNamespaces?: readonly string[];
  /** Who may use the agent. By default the owner, everyone where there is none. It never changes a namespace. */
  readonly sharedWith?: readonly Grantee[];
  /** Whether turns are stored in the session, and how many the next one is given. `true` stands for 10 turns. */
  readonly autoMemory?: boolean | { readonly turns: number };
  /** Whether the preamble looks below a memory that is empty, where older layouts have kept it. Default true. */
  readonly childFallback?: boolean;
}

/** Who may see and change a pool. Its owner may do both. */
export interface PoolAccess {
  readonly owner?: Grantee;
  readonly readers?: readonly Grantee[];
  /** Each of them is to be a reader, too. */
  readonly writers?: readonly Grantee[];
}

/** What a team shares. */
export interface TeamMemory {
  /** What it is called in namespaces. By default its key; two owners may have teams of the same name. */
  readonly name?: string;
  /** The user that it belongs to, whom its namespace then ends with. */
  readonly owner?: string;
  /** Where its memories are: by default `team:{team_name}`. It may also hold `{run_id}`. */
  readonly namespace?: string;
  /** Who belongs to it beside its owner; `*` for everyone. */
  readonly members?: readonly Grantee[];
}

/** Who asks, through which agent. */
export interface MemoryContext {
  /** May be missing where the space has an `anonymous` user. */
  readonly principal?: Principal | undefined;
  /** The key of the agent. */
  readonly agent: string;
  /** The key of the team in whose run this is. */
  readonly team?: string | undefined;
  /** For agents whose memory is `sessionIsolated`. */
  readonly sessionId?: string | undefined;
  /** For namespaces that hold `{run_id}`. */
  readonly runId?: string | undefined;
}
