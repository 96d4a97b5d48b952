import type { ConversationMemory } from '@keepsake/conversations';
import {
  type Embedder,
  isMemoryError,
  MemoryError,
  type MemoryModel,
  type Namespace,
  type RecordStore,
  type SessionStore,
} from '@keepsake/core';
import { checkNamespace, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { MemorySpace } from '@keepsake/namespaces';
import type { Workspace } from '@keepsake/workspace';
import { checkConfig } from './check-config.ts';
import type { ConversationsConfig, KeepsakeConfig, SpaceConfig } from './config.ts';
import { checkPart, type PartName, type Parts } from './parts.ts';

/** Options of {@link OpenedConfig}. */
export interface OpenedConfigOptions {
  /** The file or directory that messages name. */
  readonly path: string;
  /** The namespace below the configured store to use as its root. @default [] */
  readonly namespace?: Namespace | undefined;
}

const OPTIONS: FieldNames<OpenedConfigOptions> = { path: true, namespace: true };

/**
 * A configuration whose parts are opened when they are first needed, each once. If opening a part fails, the next call tries
 * again.
 *
 * A function that fails or returns something else rejects with the code of its `MemoryError`, or `BACKEND`, and the error as
 * the cause; a missing part that is required with `UNSUPPORTED`; every call after `close()` with `CLOSED`.
 *
 * @example
 * const config = new OpenedConfig({ memory: () => new InMemoryStore({ name: 'memory' }) }, { path: 'memory of the test' });
 * const memory = await config.memory();
 * await config.close();
 */
export class OpenedConfig {
  /** The configuration file, or the directory of the files. */
  readonly path: string;
  /** The namespace below the configured store that is the root of this configuration. */
  readonly namespace: Namespace;
  /** What the file exports, checked. */
  readonly configuration: KeepsakeConfig;
  readonly #opened = new Map<string, Promise<unknown>>();
  readonly #spaces: MemorySpace[] = [];
  #closing: Promise<void> | undefined;

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid configuration. */
  constructor(config: KeepsakeConfig, options: OpenedConfigOptions) {
    const { path, namespace = [] } = expectKnownFields(options, OPTIONS);
    this.configuration = checkConfig(config);
    this.path = path;
    this.namespace = checkNamespace(namespace);
  }

  /** The store of memories, at the root of this configuration. */
  async memory(): Promise<RecordStore> {
    const { namespace } = this;
    if (namespace.length === 0) return this.#required('memory');
    return this.#once('root', async () => (await this.#required('memory')).within(namespace));
  }

  async sessions(): Promise<SessionStore> {
    return this.#required('sessions');
  }

  /**
   * The memory space over the store and the sessions. Erases and exports conversations too.
   *
   * @param changes - Options in place of the configured ones. Each call with changes returns a new space.
   */
  async space(changes?: SpaceConfig): Promise<MemorySpace> {
    return changes === undefined ? this.#once('space', () => this.#newSpace({})) : this.#newSpace(changes);
  }

  /**
   * The conversations in the store.
   *
   * @param changes - Options in place of the configured ones. Each call with changes returns a new object.
   */
  async conversations(changes?: ConversationsConfig): Promise<ConversationMemory> {
    if (changes !== undefined) return this.#newConversations(changes);
    return this.#once('conversations', () => this.#newConversations({}));
  }

  /** The workspace, or `undefined` if none is configured. */
  async workspace(): Promise<Workspace | undefined> {
    return this.#part('workspace');
  }

  /** The embedder, or `undefined` if none is configured. */
  async embedder(): Promise<Embedder | undefined> {
    return this.#part('embedder');
  }

  /** The model, or `undefined` if none is configured. */
  async model(): Promise<MemoryModel | undefined> {
    return this.#part('model');
  }

  /** Closes the opened stores, then calls `close` of the configuration. Later calls do nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const store = this.#opened.get('memory') as Promise<RecordStore> | undefined;
    const closings = [
      ...this.#spaces.map((space) => space.close()),
      // A store that could not be opened is not closed, and was reported to whoever needed it.
      store?.then(
        (memory) => memory.close(),
        () => {},
      ),
    ];
    const results = await Promise.allSettled(closings);
    const { close } = this.configuration;
    if (close !== undefined) await this.#called('close', close);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #newSpace(changes: SpaceConfig): Promise<MemorySpace> {
    const { MemorySpace } = await import('@keepsake/namespaces');
    const spaceConfig = { ...this.configuration.space, ...changes };
    const conversations = await this.conversations();
    const sessions = await this.#part('sessions');
    const space = new MemorySpace({
      agents: {},
      ...spaceConfig,
      userData: { conversations, ...spaceConfig.userData },
      store: await this.memory(),
      sessions,
    });
    this.#spaces.push(space);
    return space;
  }

  async #newConversations(changes: ConversationsConfig): Promise<ConversationMemory> {
    const { ConversationMemory } = await import('@keepsake/conversations');
    return new ConversationMemory({ ...this.configuration.conversations, ...changes, store: await this.memory() });
  }

  async #required<Name extends PartName>(name: Name): Promise<Parts[Name]> {
    const part = await this.#part(name);
    if (part !== undefined) return part;
    throw new MemoryError('UNSUPPORTED', `${this.path} has no \`${name}\`. Add it to the configuration.`);
  }

  /** A part, or `undefined` if it is not configured. */
  async #part<Name extends PartName>(name: Name): Promise<Parts[Name] | undefined> {
    const factory: (() => unknown) | undefined = this.configuration[name];
    return this.#once(name, async () => {
      return factory === undefined ? undefined : checkPart(name, await this.#called(name, factory), this.path);
    });
  }

  async #called(name: keyof KeepsakeConfig, factory: () => unknown): Promise<unknown> {
    try {
      return await factory();
    } catch (cause) {
      const code = isMemoryError(cause) ? cause.code : 'BACKEND';
      throw new MemoryError(code, `\`${name}\` of ${this.path} failed: see the cause.`, { cause });
    }
  }

  async #once<Value>(key: string, open: () => Promise<Value>): Promise<Value> {
    if (this.#closing !== undefined) throw new MemoryError('CLOSED', `The configuration ${this.path} is closed.`);
    const before = this.#opened.get(key);
    if (before !== undefined) return before as Promise<Value>;
    const opening = open();
    this.#opened.set(key, opening);
    opening.catch(() => this.#opened.delete(key));
    return opening;
  }
}
