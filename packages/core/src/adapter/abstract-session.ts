import { isObject } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';
import { checkId } from '../common/text.ts';
import type { JsonObject } from '../json/json.ts';
import {
  expectSuffix,
  prepareMutations,
  prepareTransaction,
  replaceFunctionCalls,
  wasApplied,
} from '../session/history.ts';
import type { DurableSession, SessionHistoryMutation, SessionHistoryOperation } from '../session/session.ts';
import { encodeItems, itemLimit } from '../session/session-items.ts';
import type { NumberedItem, SessionBackend, StoredItem } from './session-backend.ts';

/**
 * A whole {@link DurableSession} over the few methods that a backend implements, see {@link SessionBackend}. It checks and
 * encodes what goes in, decides what each change does to the history, and keeps damaged items from being returned or lost.
 */
export abstract class AbstractSession<Item extends object = JsonObject> implements DurableSession<Item> {
  readonly #id: string;
  readonly #backend: SessionBackend;
  readonly #reported = new Set<number | undefined>();

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid id. */
  constructor(sessionId: string, backend: SessionBackend) {
    checkId(sessionId, 'sessionId');
    this.#id = sessionId;
    this.#backend = backend;
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    const count = itemLimit(limit) ?? Infinity;
    if (count === 0) return [];
    const stored = this.#backend.newest(count);
    // A backend in memory needs no wait.
    const items = ('then' in stored ? await stored : stored).map(readItem);
    return (items.includes(undefined) ? await this.#newestSound(count) : items) as Item[];
  }

  async addItems(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (encoded.length > 0) return this.#backend.append(encoded);
  }

  async popItem(): Promise<Item | undefined> {
    const text = this.#backend.pop && (await this.#backend.pop());
    if (text !== undefined) return text === null ? undefined : (JSON.parse(text) as Item);
    let popped: object | undefined;
    await this.#backend.change({ items: 1 }, ({ items: [newest] }) => {
      popped = newest === undefined ? undefined : this.#expectSound(newest);
      return popped && { drop: 1, append: [] };
    });
    return popped as Item | undefined;
  }

  async clearSession(): Promise<void> {
    const expected = { exists: true, items: [] };
    await this.#backend.change({ items: 0, expected }, ({ exists }) =>
      exists ? { drop: Infinity, append: [], forgetOperations: true } : undefined,
    );
    // The next items can have the same numbers.
    this.#reported.clear();
  }

  async applyHistoryTransaction(args: SessionHistoryOperation<Item>): Promise<void> {
    const operation = await prepareTransaction(args);
    const { expectedSuffix, items: append } = operation;
    const expected = { exists: true, items: expectedSuffix };
    await this.#backend.change({ items: expectedSuffix.length, operation, expected }, ({ items, digest }) => {
      if (wasApplied(operation, digest)) return undefined;
      for (const item of items) this.#expectSound(item);
      expectSuffix(operation, items);
      return { drop: items.length, append };
    });
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args);
    if (mutations.length === 0) return;
    const mutate = (items: readonly string[]) =>
      replaceFunctionCalls(items, mutations, (item) => this.#expectSound(item));
    const texts = mutations.map(({ needle }) => needle);
    if (this.#backend.edit) return this.#backend.edit(texts, mutate);
    await this.#backend.change({ items: Infinity }, ({ items }) => {
      const after = mutate(items);
      const first = items.findIndex((item, index) => item !== after[index]);
      if (first === -1) return undefined;
      const append = after.slice(first).filter((item) => item !== undefined);
      // Other damaged items are appended as they are.
      if (append.includes('')) throw this.#damaged();
      return { drop: items.length - first, append };
    });
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const append = encodeItems(items);
    await this.#backend.change({ items: Infinity, onlyDamaged: true }, ({ exists, items: old }) => {
      for (const item of old) this.#expectSound(item);
      return exists || append.length > 0 ? { drop: Infinity, append } : undefined;
    });
  }

  /** The newest items that are not damaged. Reports the others. */
  async #newestSound(count: number): Promise<object[]> {
    for (let window = count; ; window *= 2) {
      const stored = await this.#numbered(window);
      const items = stored.map(({ text }) => readItem(text));
      items.forEach((item, index) => {
        if (item === undefined) this.#report(stored[index]?.number);
      });
      const sound = items.filter((item) => item !== undefined);
      if (sound.length >= count || stored.length < window) return sound.slice(-count);
    }
  }

  async #numbered(limit: number): Promise<readonly (NumberedItem | { text: StoredItem; number?: never })[]> {
    if (this.#backend.numbered) return this.#backend.numbered(limit);
    return (await this.#backend.newest(limit)).map((text) => ({ text }));
  }

  #report(number: number | undefined): void {
    if (this.#reported.has(number)) return;
    this.#reported.add(number);
    if (number !== undefined) this.#backend.onDamage?.(number);
    else {
      const id = JSON.stringify(this.#id);
      console.warn(`Keepsake: session ${id} has damaged items. They are skipped and left unchanged.`);
    }
  }

  /** Reads an item that a change removes or replaces. Throws `CORRUPT` if it is damaged: it may still be repaired. */
  #expectSound(item: string): object {
    const read = readItem(item);
    if (read === undefined) throw this.#damaged();
    return read;
  }

  #damaged(): MemoryError {
    const { repair = 'restore a backup' } = this.#backend;
    return new MemoryError(
      'CORRUPT',
      `This would change a damaged item, so nothing was changed. Clear the session, or ${repair}.`,
    );
  }
}

/** Reads a stored item; `undefined` if it is damaged. */
function readItem(item: StoredItem): object | undefined {
  if (typeof item !== 'string') return item;
  try {
    const read: unknown = JSON.parse(item);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
