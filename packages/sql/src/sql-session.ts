import type { AnyItem, DurableSession, SessionHistoryMutation, SessionHistoryTransaction } from '@keepsake/core';
import {
  checkId,
  encodeItems,
  encodeJson,
  expectSuffix,
  itemLimit,
  prepareMutations,
  prepareTransaction,
  readItem,
  wasApplied,
} from '@keepsake/core/adapter';
import type { Driver } from './database/driver.ts';
import { replaceCalls } from './sessions/replace-calls.ts';
import type { Operation, SessionState, StoredItem } from './sessions/session-changes.ts';
import { type OnCorrupt, validItem } from './sessions/session-damage.ts';
import { checkSessionOptions, type SqlSessionOptions } from './sessions/session-options.ts';
import { StoredSession } from './sessions/stored-session.ts';

/**
 * A session in PostgreSQL or SQLite. Any number of processes can share it. Each change is one atomic statement.
 */
export class SqlSession<Item extends object = AnyItem> implements DurableSession<Item> {
  readonly #id: string;
  readonly #stored: StoredSession;
  readonly #touches: boolean;
  readonly #onCorrupt: OnCorrupt;
  readonly #reported = new Set<number>();

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(driver: Driver, sessionId: string, options: SqlSessionOptions) {
    const { ttlMs, refresh, onCorrupt } = checkSessionOptions(options);
    checkId(sessionId, 'sessionId');
    this.#id = sessionId;
    this.#stored = new StoredSession(driver, sessionId, ttlMs);
    this.#touches = refresh === 'access';
    this.#onCorrupt = onCorrupt;
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    const count = itemLimit(limit) ?? Infinity;
    if (count === 0) return [];
    // Sent together, so that reading takes no longer.
    const [items] = await Promise.all([this.#newestSound(count), this.#touches && this.#stored.touch()]);
    return items;
  }

  async addItems(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (encoded.length > 0) await this.#stored.append(encoded);
  }

  async popItem(): Promise<Item | undefined> {
    const popped = await this.#stored.pop();
    if (popped !== undefined) return popped === null ? undefined : (JSON.parse(popped) as Item);
    for (;;) {
      const { state, items } = await this.#stored.snapshot(1);
      const [newest] = items;
      if (state === undefined || newest === undefined) return undefined;
      const item = validItem(newest);
      if (await this.#stored.change({ state, from: newest.seq, growth: -1 })) return item as Item;
      // Another caller popped it first. One caller always succeeds, so that the loop ends.
    }
  }

  async clearSession(): Promise<void> {
    await this.#stored.clear();
  }

  async applyHistoryTransaction(args: {
    operationId: string;
    transaction: SessionHistoryTransaction<Item>;
  }): Promise<void> {
    const change = await prepareTransaction(args);
    const { operationId, digest, expectedSuffix, items: added } = change;
    const operation = { operationId, digest };
    if (expectedSuffix.length === 0 && (await this.#stored.change({ added, growth: added.length, operation }))) return;
    for (;;) {
      const { state, items, digest: known } = await this.#stored.snapshot(expectedSuffix.length, operationId);
      if (wasApplied(change, known)) return;
      for (const item of items) validItem(item);
      const tail = items.map(({ text }) => text);
      expectSuffix(change, tail);
      if (await this.#replaceEnd(state, items, added, operation)) return;
    }
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args);
    if (mutations.length === 0) return;
    const needles = mutations.map(({ callId }) => encodeJson(callId, 'callId'));
    for (;;) {
      const { state, items } = await this.#stored.containing(needles);
      if (state === undefined) return;
      const { replaced, removed } = replaceCalls(items, mutations);
      if (replaced.length + removed.length === 0) return;
      const edits = { state, evenIfLonger: true, replaced, removed, growth: -removed.length };
      if (await this.#stored.change(edits)) return;
    }
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const added = encodeItems(items);
    for (;;) {
      const { state, items: old } = await this.#stored.snapshot(Infinity);
      for (const item of old) validItem(item);
      if (state === undefined && added.length === 0) return;
      if (await this.#replaceEnd(state, old, added)) return;
    }
  }

  /** Replaces the last items of a history. Returns false and changes nothing if the history has changed since it was read. */
  #replaceEnd(
    state: SessionState | undefined,
    old: readonly StoredItem[],
    added: readonly string[],
    operation?: Operation,
  ): Promise<boolean> {
    const growth = added.length - old.length;
    return this.#stored.change({ state, onlyNew: state === undefined, from: old[0]?.seq, added, growth, operation });
  }

  /** The newest `count` items that are not damaged. */
  async #newestSound(count: number): Promise<Item[]> {
    const texts = await this.#stored.newest(count);
    const items = texts.flatMap((text) => readItem(text) ?? []);
    return items.length === texts.length ? (items as Item[]) : this.#newestAround(count);
  }

  /** The same if some are damaged: reports those, and reads older items instead. */
  async #newestAround(count: number): Promise<Item[]> {
    for (let window = count; ; window *= 2) {
      const stored = await this.#stored.numbered(window);
      const items = stored.flatMap(({ text }) => readItem(text) ?? []);
      for (const item of stored) if (readItem(item.text) === undefined) this.#report(item);
      if (items.length >= count || stored.length < window) return items.slice(-count) as Item[];
    }
  }

  #report({ seq }: StoredItem): void {
    if (this.#reported.has(seq)) return;
    this.#reported.add(seq);
    this.#onCorrupt({ sessionId: this.#id, seq });
  }
}
