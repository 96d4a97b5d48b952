import { deepStrictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AnyItem, SessionStore } from '@keepsake/core';
import type { Opened } from '../backends.ts';
import type { Choices, User } from './user.ts';

const SESSIONS = 20;
const WORDS = 60;
/** A session with more items is deleted or shortened. */
const MAX_ITEMS = 200;

/** Changes sessions that nobody else uses. */
export class SessionUser implements User {
  #store: SessionStore;
  readonly #choices: Choices;
  /** What each session must have. */
  readonly #known: ReadonlyMap<string, AnyItem[]>;

  constructor({ sessions }: Opened, name: string, choices: Choices) {
    this.#store = sessions;
    this.#choices = choices;
    this.#known = new Map(Array.from({ length: SESSIONS }, (_, n) => [`session ${n} of user ${name}`, []]));
  }

  reopen({ sessions }: Opened): void {
    this.#store = sessions;
  }

  async act(): Promise<'read' | 'change'> {
    const [id, items] = this.#choices.pick([...this.#known]);
    if (items.length > MAX_ITEMS) await this[this.#choices.pick(['compact', 'clear', 'delete'] as const)](id, items);
    else {
      const operation = this.#choices.pick(OPERATIONS);
      await this[operation](id, items);
      if (operation === 'newest') return 'read';
    }
    return 'change';
  }

  async check(): Promise<void> {
    for (const [id, items] of this.#known) deepStrictEqual(await this.#store.open(id).getItems(), items);
  }

  async remove(): Promise<void> {
    for (const [id, items] of this.#known) await this.delete(id, items);
    await this.check();
  }

  async append(id: string, items: AnyItem[]): Promise<void> {
    const added = Array.from({ length: 1 + this.#choices.whole(5) }, () => this.#item());
    await this.#store.open(id).addItems(added);
    items.push(...added);
  }

  /** Appends an item once, though it is asked for twice. */
  async appendOnce(id: string, items: AnyItem[]): Promise<void> {
    const item = this.#item();
    const operation = {
      operationId: randomUUID(),
      transaction: { type: 'append_items' as const, items: [item] },
    };
    await this.#store.open(id).applyHistoryTransaction(operation);
    await this.#store.open(id).applyHistoryTransaction(operation);
    items.push(item);
  }

  async newest(id: string, items: AnyItem[]): Promise<void> {
    deepStrictEqual(await this.#store.open(id).getItems(20), items.slice(-20));
  }

  async pop(id: string, items: AnyItem[]): Promise<void> {
    deepStrictEqual(await this.#store.open(id).popItem(), items.pop());
  }

  async compact(id: string, items: AnyItem[]): Promise<void> {
    const kept = items.slice(-5);
    await this.#store.open(id).replaceHistoryWithCompaction(kept);
    items.splice(0, items.length, ...kept);
  }

  async clear(id: string, items: AnyItem[]): Promise<void> {
    await this.#store.open(id).clearSession();
    items.length = 0;
  }

  async delete(id: string, items: AnyItem[]): Promise<void> {
    await this.#store.delete(id);
    items.length = 0;
  }

  #item(): AnyItem {
    return { type: 'message', role: 'user', content: this.#choices.text(WORDS) };
  }
}

type Operation = 'append' | 'appendOnce' | 'newest' | 'pop';

/** In ten operations, this many of each. */
const OPERATIONS: readonly Operation[] = [
  ...Array<Operation>(4).fill('append'),
  'appendOnce',
  ...Array<Operation>(4).fill('newest'),
  'pop',
];
