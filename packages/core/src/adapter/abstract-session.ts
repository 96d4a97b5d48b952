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
import type { SessionBackend } from './session-backend.ts';

/**
 * A whole {@link DurableSession} over the three methods that a backend implements, see {@link SessionBackend}. It checks
 * and encodes what goes in, and decides what each change does to the history.
 */
export abstract class AbstractSession<Item extends object = JsonObject> implements DurableSession<Item> {
  readonly #id: string;
  readonly #backend: SessionBackend;

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
    const found = this.#backend.newest(itemLimit(limit));
    // A backend in memory needs no wait.
    const items = 'then' in found ? await found : found;
    return items.map((item) => decode<Item>(item));
  }

  async addItems(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (encoded.length > 0) return this.#backend.append(encoded);
  }

  async popItem(): Promise<Item | undefined> {
    let popped: string | undefined;
    await this.#backend.change({ items: 1 }, ({ items }) => {
      [popped] = items;
      return popped === undefined ? undefined : { drop: 1, append: [] };
    });
    return popped === undefined ? undefined : decode<Item>(popped);
  }

  async clearSession(): Promise<void> {
    await this.#backend.change({ items: 0 }, ({ exists }) =>
      exists ? { drop: Infinity, append: [], forgetOperations: true } : undefined,
    );
  }

  async applyHistoryTransaction(args: SessionHistoryOperation<Item>): Promise<void> {
    const change = await prepareTransaction(args);
    const { operationId, digest, expectedSuffix, items: append } = change;
    await this.#backend.change({ items: expectedSuffix.length, operationId }, (state) => {
      if (wasApplied(change, state.digest)) return undefined;
      expectSuffix(change, state.items);
      return { drop: expectedSuffix.length, append, operation: { operationId, digest } };
    });
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args);
    await this.#backend.change({ items: undefined }, ({ items }) => {
      const after = replaceFunctionCalls(items, mutations);
      const first = items.findIndex((item, index) => item !== after[index]);
      return first === -1 ? undefined : { drop: items.length - first, append: after.slice(first) };
    });
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const append = encodeItems(items);
    await this.#backend.change({ items: 0 }, ({ exists }) =>
      exists || append.length > 0 ? { drop: Infinity, append } : undefined,
    );
  }
}

/** @throws MemoryError `CORRUPT` if it is damaged. The error of the parser would quote its content. */
function decode<Item>(item: string): Item {
  try {
    return JSON.parse(item) as Item;
  } catch {
    throw new MemoryError(
      'CORRUPT',
      'An item of this session is damaged in storage. Restore a backup, or clear the session.',
    );
  }
}
