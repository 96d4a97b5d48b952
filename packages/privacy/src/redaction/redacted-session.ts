import type {
  DurableSession,
  JsonObject,
  Session,
  SessionHistoryMutation,
  SessionHistoryOperation,
} from '@keepsake/core';
import { encodeItems, encodeTransaction, prepareMutations } from '@keepsake/core/adapter';
import { redactJson } from './redact.ts';

/** A session that redacts its items, see `redacted`. */
export class RedactedSession<Item extends object = JsonObject> implements Session<Item> {
  readonly #session: Session<Item>;

  constructor(session: Session<Item>) {
    this.#session = session;
  }

  getSessionId(): Promise<string> {
    return this.#session.getSessionId();
  }

  getItems(limit?: number): Promise<Item[]> {
    return this.#session.getItems(limit);
  }

  async addItems(items: Item[]): Promise<void> {
    await this.#session.addItems(redactItems(encodeItems(items)));
  }

  popItem(): Promise<Item | undefined> {
    return this.#session.popItem();
  }

  clearSession(): Promise<void> {
    return this.#session.clearSession();
  }
}

/** A durable session that redacts its items, see `redacted`. */
export class RedactedDurableSession<Item extends object = JsonObject>
  extends RedactedSession<Item>
  implements DurableSession<Item>
{
  readonly #session: DurableSession<Item>;

  constructor(session: DurableSession<Item>) {
    super(session);
    this.#session = session;
  }

  async applyHistoryTransaction(args: SessionHistoryOperation<Item>): Promise<void> {
    const { type, expectedSuffix, items, ...operation } = encodeTransaction(args);
    const added = redactItems<Item>(items);
    await this.#session.applyHistoryTransaction({
      ...operation,
      transaction:
        type === 'append_items'
          ? { type, items: added }
          : { type, expectedSuffix: redactItems(expectedSuffix), replacement: added },
    });
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args).map(({ callId, replacement }) => ({
      type: 'replace_function_call' as const,
      // As it was stored, if it looks like a secret.
      callId: redactJson(callId),
      replacement: redactItem<Item>(replacement),
    }));
    await this.#session.applyHistoryMutations({ mutations });
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    await this.#session.replaceHistoryWithCompaction(redactItems(encodeItems(items)));
  }
}

function redactItems<Item extends object>(items: readonly string[]): Item[] {
  return items.map(redactItem<Item>);
}

/** @param item - JSON text, which has been checked. */
function redactItem<Item extends object>(item: string): Item {
  return redactJson(JSON.parse(item) as JsonObject) as object as Item;
}
