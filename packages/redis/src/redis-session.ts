import {
  checkId,
  type DurableSession,
  encodeItems,
  encodeJson,
  expectSuffix,
  type FunctionCallReplacement,
  itemLimit,
  type JsonObject,
  MemoryError,
  prepareMutations,
  prepareTransaction,
  replaceFunctionCalls,
  type SessionHistoryMutation,
  type SessionHistoryTransaction,
  uuidv7,
  wasApplied,
} from '@keepsake/core';
import { editsBetween } from './history-edits.ts';
import { type OnCorrupt, readItem } from './session-damage.ts';
import { checkSessionOptions, type RedisSessionStoreOptions } from './session-options.ts';
import { type Snapshot, StoredHistory } from './stored-history.ts';

/** How to open a {@link RedisSession}. */
export interface RedisSessionOptions extends RedisSessionStoreOptions {
  /** By default a fresh UUID version 7. */
  readonly sessionId?: string;
}

/**
 * A session in Redis that any number of processes share, on one server or a cluster.
 *
 * Every change is one script, atomic, and done once also where the client sends it again after a broken link. Where
 * that leaves open whether it was done, it is `OUTCOME_UNKNOWN`. Damaged items are left out of what is read, and
 * reported; what would remove one is refused with `CORRUPT`, except for clearing the session. A change of more than
 * 256 MiB is `TOO_LARGE`.
 */
export class RedisSession<Item extends object = JsonObject> implements DurableSession<Item> {
  readonly #id: string;
  readonly #history: StoredHistory;
  readonly #touches: boolean;
  readonly #onCorrupt: OnCorrupt;
  readonly #reported = new Set<number>();

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Sends nothing. */
  constructor(options: RedisSessionOptions) {
    const { client, keyPrefix, ttlMs, refresh, onCorrupt } = checkSessionOptions(options);
    const { sessionId = uuidv7() } = options;
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
    // Both are sent at once, so that reading stays one round trip.
    const [texts] = await Promise.all([this.#history.newest(count), this.#touches && this.#history.touch()]);
    const items = texts.map(readItem);
    return items.includes(undefined) ? this.#newestSound(count) : (items as Item[]);
  }

  async addItems(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (encoded.length > 0) await this.#history.append(encoded);
  }

  async popItem(): Promise<Item | undefined> {
    let [newest] = await this.#history.newest(1);
    while (newest !== undefined) {
      const item = soundItem(newest);
      const outcome = await this.#history.changeEnd({ expectedSuffix: [newest], items: [] });
      if (outcome.kind !== 'other') return item as Item;
      // Somebody else was faster. They got on, so that all together always do.
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
      if (outcome.kind === 'known' && wasApplied(change, outcome.digest)) return;
      // Redis compares texts. These may be the same as JSON, with their fields in another order.
      if (outcome.kind === 'other') expectedSuffix = outcome.tail;
      expectedSuffix.forEach(soundItem);
      expectSuffix(change, expectedSuffix);
    }
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args.mutations);
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
      snapshot.items.forEach(soundItem);
      const isNew = snapshot.rewritten === '' && snapshot.items.length === 0;
      return (isNew && encoded.length === 0) || this.#history.replace(snapshot, encoded);
    });
  }

  /** Has the whole history changed by what was read of it; anew where it has changed in between. */
  async #rewrite(change: (snapshot: Snapshot) => boolean | Promise<boolean>): Promise<void> {
    let snapshot = await this.#history.readOn();
    while (!(await change(snapshot))) snapshot = await this.#history.readOn(snapshot);
  }

  /** The newest valid items, so many of them, from a history with damaged ones. */
  async #newestSound(count: number): Promise<Item[]> {
    for (let window = count; ; window *= 2) {
      const { items: texts, length } = await this.#history.newestOf(window);
      const sound = texts.flatMap((text, index) => {
        const item = readItem(text);
        if (item === undefined) this.#report(length - texts.length + index);
        return item ?? [];
      });
      if (sound.length >= count || texts.length === length) return sound.slice(-count) as Item[];
    }
  }

  #report(index: number): void {
    if (this.#reported.has(index)) return;
    this.#reported.add(index);
    this.#onCorrupt({ sessionId: this.#id, key: this.#history.keys.items, index });
  }
}

/** The item of a text; `CORRUPT` where it is damaged. */
function soundItem(text: string): object {
  const item = readItem(text);
  if (item !== undefined) return item;
  throw new MemoryError(
    'CORRUPT',
    'A damaged item stands where this would change the history, so nothing was changed. Clear the session, or mend the item in Redis.',
  );
}

/** The items after the mutations. Damaged ones stay, unless one may be a call that is meant. */
function mutated(items: readonly string[], mutations: readonly FunctionCallReplacement[]): readonly string[] {
  const needles = mutations.map(({ callId }) => encodeJson(callId, 'callId'));
  for (const item of items) if (needles.some((needle) => item.includes(needle))) soundItem(item);
  return replaceFunctionCalls(items, mutations);
}
