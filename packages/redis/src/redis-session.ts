import type { AnyItem, DurableSession, SessionHistoryMutation, SessionHistoryTransaction } from '@keepsake/core';
import {
  checkId,
  encodeItems,
  encodeJson,
  expectKnownFields,
  expectSuffix,
  type FieldNames,
  type FunctionCallReplacement,
  itemLimit,
  prepareMutations,
  prepareTransaction,
  readItem,
  readValidItem,
  replaceFunctionCalls,
  uuidv7,
  wasApplied,
} from '@keepsake/core/adapter';
import { editsBetween } from './sessions/history-edits.ts';
import type { OnCorrupt } from './sessions/session-damage.ts';
import {
  checkSessionOptions,
  type RedisSessionStoreOptions,
  SESSION_STORE_OPTIONS,
} from './sessions/session-options.ts';
import { type HistorySnapshot, StoredHistory } from './sessions/stored-history.ts';

/** Options of a {@link RedisSession}. */
export interface RedisSessionOptions extends RedisSessionStoreOptions {
  /**
   * The id of the session, 1 to 512 characters.
   *
   * @default a new UUID version 7
   */
  readonly sessionId?: string | undefined;
}

const OPTIONS: FieldNames<RedisSessionOptions> = { ...SESSION_STORE_OPTIONS, sessionId: true };

/**
 * A session in Redis that any number of processes can share, on one server or a cluster.
 *
 * Each change is atomic, and made once even if the client sends it again. A change larger than 256 MiB rejects with
 * `TOO_LARGE`. Reads skip and report damaged items; a change that would remove one rejects with `CORRUPT`, unless it clears
 * the session.
 *
 * @example
 * const session = new RedisSession({ client: new Redis(), sessionId: 'chat-42' });
 * await session.addItems([{ role: 'user', content: 'Where were we?' }]);
 * const items = await session.getItems(20);
 */
export class RedisSession<Item extends object = AnyItem> implements DurableSession<Item> {
  readonly #id: string;
  readonly #history: StoredHistory;
  readonly #touches: boolean;
  readonly #onCorrupt: OnCorrupt;
  readonly #reported = new Set<number>();

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: RedisSessionOptions) {
    const { sessionId = uuidv7(), ...given } = expectKnownFields(options, OPTIONS);
    const { client, keyPrefix, ttlMs, refresh, onCorrupt } = checkSessionOptions(given);
    checkId(sessionId, 'sessionId');
    this.#id = sessionId;
    this.#history = new StoredHistory(client, keyPrefix, sessionId, ttlMs);
    this.#touches = refresh === 'access';
    this.#onCorrupt = onCorrupt;
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    const count = itemLimit(limit) ?? Infinity;
    if (count === 0) return [];
    // Sends both at once, so that reading stays one round trip.
    const [texts] = await Promise.all([this.#history.newest(count), this.#touches && this.#history.touch()]);
    const items = texts.map(readItem);
    return items.includes(undefined) ? this.#newestValid(count) : (items as Item[]);
  }

  async addItems(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (encoded.length > 0) await this.#history.append(encoded);
  }

  async popItem(): Promise<Item | undefined> {
    let [newest] = await this.#history.newest(1);
    while (newest !== undefined) {
      const item = validItem(newest);
      const outcome = await this.#history.changeEnd({ expectedSuffix: [newest], items: [] });
      if (outcome.kind !== 'mismatch') return item as Item;
      // Another caller was faster. One of them always succeeds, so this ends.
      [newest] = outcome.tail;
    }
    return undefined;
  }

  async clearSession(): Promise<void> {
    await this.#history.clear();
  }

  async applyHistoryTransaction(args: {
    operationId: string;
    transaction: SessionHistoryTransaction<Item>;
  }): Promise<void> {
    const change = await prepareTransaction(args);
    let { expectedSuffix } = change;
    for (;;) {
      const outcome = await this.#history.changeEnd({ ...change, expectedSuffix });
      if (outcome.kind === 'done') return;
      if (outcome.kind === 'repeated' && wasApplied(change, outcome.digest)) return;
      // Redis compares texts. They may still be the same JSON, with fields in another order.
      if (outcome.kind === 'mismatch') expectedSuffix = outcome.tail;
      expectedSuffix.forEach(validItem);
      expectSuffix(change, expectedSuffix);
    }
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args);
    if (mutations.length === 0) return;
    await this.#rewrite((snapshot) => {
      const edits = editsBetween(snapshot.items, mutated(snapshot.items, mutations));
      const changes = edits.replaced.length + edits.dropped.length;
      return changes === 0 || this.#history.edit(snapshot, edits);
    });
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    await this.#rewrite((snapshot) => {
      snapshot.items.forEach(validItem);
      const isNew = snapshot.rewritten === '' && snapshot.items.length === 0;
      return (isNew && encoded.length === 0) || this.#history.replace(snapshot, encoded);
    });
  }

  /** Changes the whole history from what was read of it. Reads and tries again if it changed in between. */
  async #rewrite(change: (snapshot: HistorySnapshot) => boolean | Promise<boolean>): Promise<void> {
    let snapshot = await this.#history.readAll();
    while (!(await change(snapshot))) snapshot = await this.#history.readAll(snapshot);
  }

  /** The newest valid items of a history with damaged ones. */
  async #newestValid(count: number): Promise<Item[]> {
    for (let window = count; ; window *= 2) {
      const { items: texts, length } = await this.#history.newestOf(window);
      const valid = texts.flatMap((text, index) => {
        const item = readItem(text);
        if (item === undefined) this.#report(length - texts.length + index);
        return item ?? [];
      });
      if (valid.length >= count || texts.length === length) return valid.slice(-count) as Item[];
    }
  }

  #report(index: number): void {
    if (this.#reported.has(index)) return;
    this.#reported.add(index);
    this.#onCorrupt({ sessionId: this.#id, key: this.#history.keys.items, index });
  }
}

function validItem(text: string): object {
  return readValidItem(text, 'Redis');
}

/** The items after the mutations. Keeps damaged items. Throws `CORRUPT` if one may be a call that a mutation replaces. */
function mutated(items: readonly string[], mutations: readonly FunctionCallReplacement[]): readonly string[] {
  const needles = mutations.map(({ callId }) => encodeJson(callId, 'callId'));
  for (const item of items) if (needles.some((needle) => item.includes(needle))) validItem(item);
  return replaceFunctionCalls(items, mutations);
}
