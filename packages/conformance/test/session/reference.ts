import {
  type DurableSession,
  type JsonObject,
  MemoryError,
  type SessionHistoryMutation,
  type SessionHistoryOperation,
} from '@keepsake/core';
import { AbstractSession, checkId, encodeItems, itemLimit, uuidv7 } from '@keepsake/core/adapter';

/** The state of a session: items as JSON, oldest first, and the digests of applied operations by their id. */
export interface State {
  readonly items: readonly string[];
  readonly operations: ReadonlyMap<string, string>;
}

export interface StoredSession extends State {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Increases with every change in the backend. */
  readonly order: number;
}

const nothing: State = { items: [], operations: new Map() };

/** Represents an item that can no longer be read. */
export const DAMAGED = 'damaged';

/** The storage of sessions. */
export class ReferenceBackend {
  readonly sessions = new Map<string, StoredSession>();
  failing = false;
  #changes = 0;

  /** Every access takes a turn of the event loop, like an access to a disk or server. */
  async wait(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.failing) throw new MemoryError('BACKEND', 'The backend does not answer. Try again later.');
  }

  get(key: string): State {
    return this.sessions.get(key) ?? nothing;
  }

  set(key: string, sessionId: string, state: State): void {
    const before = this.sessions.get(key);
    const now = Date.now();
    const { createdAt } = before ?? { createdAt: now };
    this.sessions.set(key, { ...state, sessionId, createdAt, updatedAt: now, order: ++this.#changes });
  }
}

/**
 * The simplest correct session. Mutants override its protected methods: all reads go through `read`, all writes through
 * `change`.
 */
export class ReferenceSession implements DurableSession {
  protected readonly backend: ReferenceBackend;
  protected id: string;

  /** The rules of transactions and mutations. */
  readonly #rules: DurableSession;

  constructor(backend: ReferenceBackend, sessionId?: string) {
    if (sessionId !== undefined) this.checkSessionId(sessionId);
    this.backend = backend;
    this.id = sessionId ?? uuidv7();
    this.#rules = new RuledSession((update) => this.change(update));
  }

  protected checkSessionId(sessionId: string): void {
    checkId(sessionId, 'sessionId');
  }

  /** The key of this session in the backend. */
  protected key(): string {
    return this.id;
  }

  protected encode(items: readonly object[], what = 'items'): string[] {
    return encodeItems(items, what);
  }

  protected decode(text: string): JsonObject {
    return JSON.parse(text) as JsonObject;
  }

  protected limit(limit: number | undefined): number | undefined {
    return itemLimit(limit);
  }

  protected async read(): Promise<State> {
    await this.backend.wait();
    return this.backend.get(this.key());
  }

  /** Applies an atomic change. `update` returns the changed fields, or `undefined` for no change. */
  protected async change(update: (state: State) => Partial<State> | undefined): Promise<void> {
    await this.backend.wait();
    const state = this.backend.get(this.key());
    const changed = update(state);
    if (changed !== undefined) this.backend.set(this.key(), this.id, { ...state, ...changed });
  }

  async getSessionId(): Promise<string> {
    return this.id;
  }

  async getItems(limit?: number): Promise<JsonObject[]> {
    const count = this.limit(limit);
    const { items } = await this.read();
    const valid = items.filter((text) => text !== DAMAGED);
    const start = count === undefined ? 0 : Math.max(0, valid.length - count);
    return valid.slice(start).map((text) => this.decode(text));
  }

  async addItems(items: JsonObject[]): Promise<void> {
    const added = this.encode(items);
    if (added.length === 0) return;
    await this.change((state) => ({ items: [...state.items, ...added] }));
  }

  async popItem(): Promise<JsonObject | undefined> {
    let popped: string | undefined;
    await this.change(({ items }) => {
      popped = items.at(-1);
      if (popped === DAMAGED) refuseDamaged();
      return popped === undefined ? undefined : { items: items.slice(0, -1) };
    });
    return popped === undefined ? undefined : this.decode(popped);
  }

  async clearSession(): Promise<void> {
    await this.change((state) => (state === nothing ? undefined : nothing));
  }

  async applyHistoryTransaction(args: SessionHistoryOperation): Promise<void> {
    await this.#rules.applyHistoryTransaction(args);
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation[] }): Promise<void> {
    await this.#rules.applyHistoryMutations(args);
  }

  async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
    const texts = this.encode(items);
    await this.change((state) => {
      if (state.items.includes(DAMAGED)) refuseDamaged();
      return { items: texts };
    });
  }
}

/** A session over a function that makes atomic changes. It is only asked for those. */
class RuledSession extends AbstractSession {
  constructor(change: (update: (state: State) => Partial<State> | undefined) => Promise<void>) {
    super('ruled', {
      newest: () => [],
      append() {},
      change: ({ items: count, operation }, decide) =>
        change(({ items, operations }) => {
          const newest = items.slice(Math.max(0, items.length - count));
          const edit = decide({ exists: true, items: newest, digest: operations.get(operation?.operationId ?? '') });
          return (
            edit && {
              items: [...items.slice(0, Math.max(0, items.length - edit.drop)), ...edit.append],
              ...(operation && { operations: new Map(operations).set(operation.operationId, operation.digest) }),
            }
          );
        }),
    });
  }
}

function refuseDamaged(): never {
  throw new MemoryError('CORRUPT', 'A stored item is damaged. It is kept as it is; see onCorrupt.');
}

/** A session whose instances share no data. */
export class UnsharedSession extends ReferenceSession {
  constructor(_backend: ReferenceBackend, sessionId?: string) {
    super(new ReferenceBackend(), sessionId);
  }
}

/** A session that gets a new id when it is cleared. */
export class ReidentifiedSession extends ReferenceSession {
  override async clearSession(): Promise<void> {
    await super.clearSession();
    this.id = uuidv7();
  }
}

/** A session whose ids only the backend can generate. */
export class NumberedSession extends ReferenceSession {
  protected override checkSessionId(sessionId: string): void {
    const made = /^[0-9a-f-]{36}$/.test(sessionId);
    if (!made) throw new MemoryError('INVALID_ARGUMENT', 'The backend did not generate this id.');
  }
}

/** A session that can only be read, appended to, popped and cleared. */
export class PlainSession extends ReferenceSession {
  constructor(backend: ReferenceBackend, sessionId?: string) {
    super(backend, sessionId);
    const missing = { applyHistoryTransaction: undefined, applyHistoryMutations: undefined };
    Object.assign(this, { ...missing, replaceHistoryWithCompaction: undefined });
  }
}

/** A session of a backend that accepts 20 items per call. */
export class PartwiseSession extends ReferenceSession {
  override async addItems(items: JsonObject[]): Promise<void> {
    const all = this.encode(items).map((text) => JSON.parse(text) as JsonObject);
    for (let start = 0; start < all.length; start += 20) await super.addItems(all.slice(start, start + 20));
  }
}

/** A session of a backend that stores at most 1 MiB in a value. */
export class SmallSession extends ReferenceSession {
  protected override encode(items: readonly object[], what?: string): string[] {
    const texts = super.encode(items, what);
    if (texts.some((text) => text.length > 1024 * 1024))
      throw new MemoryError('TOO_LARGE', 'It is too large to store.');
    return texts;
  }
}
