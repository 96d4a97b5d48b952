import type { DurableSession, JsonObject, SessionHistoryMutation, SessionHistoryOperation } from '@keepsake/core';
import type { Guard } from './guarded-records.ts';

/** A session of one principal, under the principal's own id for it. */
export class GuardedSession<Item extends object = JsonObject> implements DurableSession<Item> {
  readonly #sessionId: string;
  readonly #session: DurableSession<Item>;
  readonly #write: Guard['write'];

  constructor(sessionId: string, session: DurableSession<Item>, write: Guard['write']) {
    this.#sessionId = sessionId;
    this.#session = session;
    this.#write = write;
    Object.freeze(this);
  }

  async getSessionId(): Promise<string> {
    return this.#sessionId;
  }

  getItems(limit?: number): Promise<Item[]> {
    return this.#session.getItems(limit);
  }

  addItems(items: Item[]): Promise<void> {
    return this.#write(() => this.#session.addItems(items));
  }

  popItem(): Promise<Item | undefined> {
    return this.#write(() => this.#session.popItem());
  }

  clearSession(): Promise<void> {
    return this.#write(() => this.#session.clearSession());
  }

  applyHistoryTransaction(args: SessionHistoryOperation<Item>): Promise<void> {
    return this.#write(() => this.#session.applyHistoryTransaction(args));
  }

  applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    return this.#write(() => this.#session.applyHistoryMutations(args));
  }

  replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    return this.#write(() => this.#session.replaceHistoryWithCompaction(items));
  }
}
