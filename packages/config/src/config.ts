import type { ConversationMemoryOptions } from '@keepsake/conversations';
import type { Embedder, MemoryModel, RecordStore, SessionStore } from '@keepsake/core';
import type { MemorySpaceOptions } from '@keepsake/namespaces';
import type { Workspace } from '@keepsake/workspace';

type Made<Part> = Part | Promise<Part>;

/** Options of `MemorySpace` of `@keepsake/namespaces`, apart from the stores, which the configuration opens. */
export type SpaceConfig = Partial<Omit<MemorySpaceOptions, 'store' | 'sessions'>>;

/** Options of `ConversationMemory` of `@keepsake/conversations`, apart from the store, which the configuration opens. */
export type ConversationsConfig = Omit<ConversationMemoryOptions, 'store'>;

/**
 * Where the memory of your agents is. Each function is called at most once, when a program first needs what it returns, and
 * may be async.
 */
export interface KeepsakeConfig {
  /** Opens the store of all memories. Programs use the namespaces below it, and close it. */
  readonly memory: () => Made<RecordStore>;
  /** Opens the sessions. @default none: programs refuse what needs them */
  readonly sessions?: (() => Made<SessionStore>) | undefined;
  /** Who may see what: agents, pools, teams, and which namespaces belong to users. @default no agents */
  readonly space?: SpaceConfig | undefined;
  /** The conversations of agents, teams and workflows, which are in the store of `memory`. @default no tenant, no model */
  readonly conversations?: ConversationsConfig | undefined;
  /** Opens the workspace that agents share, such as `localDirectory('.agent')`. @default none */
  readonly workspace?: (() => Made<Workspace>) | undefined;
  /** Turns texts into vectors, for programs that search by meaning. Pass it to your stores yourself. @default none */
  readonly embedder?: (() => Made<Embedder>) | undefined;
  /** The model of programs that summarise or distil memories. @default none */
  readonly model?: (() => Made<MemoryModel>) | undefined;
  /** Closes your clients: called last, when a program ends. @default nothing to close */
  readonly close?: (() => unknown) | undefined;
}

/**
 * Returns the configuration, with its type. It is the default export of `keepsake.config.ts`.
 *
 * @example
 * export default defineConfig({
 *   memory: () => new FileStore({ directory: '.keepsake', name: 'memory' }),
 *   sessions: () => new FileSessionStore({ directory: '.keepsake' }),
 * });
 */
export function defineConfig(config: KeepsakeConfig): KeepsakeConfig {
  return config;
}
