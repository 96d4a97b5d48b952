import {
  type JsonObject,
  MemoryError,
  type Page,
  type PageOptions,
  type SessionHistoryMutation,
  type SessionInfo,
} from '@keepsake/core';
import { cachesReads, keyed, losesUpdates } from '../../session/mutants/mutant.ts';
import { ReferenceBackend, ReferenceSession, type State, UnsharedSession } from '../../session/reference.ts';
import { ReferenceStore } from '../reference-store.ts';

import {
  listing,
  paging,
  type StoreMutant,
  type StoreMutants,
  storeOf,
  telling,
  WritesOnEveryChange,
} from './mutant.ts';

/** Every instance has its own backend. */
const opensElsewhere: StoreMutant = class extends ReferenceStore {
  constructor(_backend: ReferenceBackend) {
    super(new ReferenceBackend());
  }
};

/** All stores share one backend. */
const everywhere = new WeakMap<object, ReferenceBackend>();
const opensTheSame: StoreMutant = class extends ReferenceStore {
  constructor(backend: ReferenceBackend) {
    super(everywhere.get(ReferenceStore) ?? backend);
    everywhere.set(ReferenceStore, this.backend);
  }
};

class LenientSession extends ReferenceSession {
  protected override checkSessionId(): void {}
}

const touch = (state: State) => state;

const itemCounts = new Map<string, number>();

export const openingMutants: StoreMutants = {
  'a session opened without an id gets a new UUID version 7': class extends ReferenceStore {
    override open<Item extends object>(sessionId: string = crypto.randomUUID()) {
      return super.open<Item>(sessionId);
    }
  },
  'a session opened with an id has that id, and is the same in every instance': [
    storeOf(UnsharedSession),
    storeOf(cachesReads),
  ],
  'opening an invalid id throws at once': storeOf(LenientSession),
  'sessions with similar ids are different sessions, and are listed under their ids': [
    storeOf(keyed((id) => id.toLowerCase())),
    telling(({ sessionId }) => ({ sessionId: sessionId.normalize('NFC') })),
    telling(({ sessionId }) => ({ sessionId: sessionId.trim() })),
  ],
  'another store in the same place sees the sessions and their changes': opensElsewhere,
  'another store in the same place sees nothing': opensTheSame,
};

export const listingMutants: StoreMutants = {
  'an empty store lists nothing': [
    paging((page) => ({ ...page, cursor: 'more' })),
    paging((page) => {
      if (page.items.length === 0) throw new MemoryError('BACKEND', 'There is no such table.');
      return page;
    }),
  ],
  'a session that was only opened is not listed': class extends ReferenceStore {
    override open<Item extends object>(sessionId?: string) {
      const session = super.open<Item>(sessionId);
      const id = (session as unknown as { id: string }).id;
      if (!this.backend.sessions.has(id)) this.backend.set(id, id, { items: [], operations: new Map() });
      return session;
    }
  },
  'clearing or mutating a session that never had an item does not create it': storeOf(WritesOnEveryChange),
  'a refused write creates no session': storeOf(
    class extends ReferenceSession {
      override async addItems(items: JsonObject[]): Promise<void> {
        await this.change(touch);
        await super.addItems(items);
      }
    },
  ),
  'a session is listed after its first item, with its id, count and times': [
    telling(() => ({ createdAt: Date.now() })),
    telling(({ updatedAt }) => ({ updatedAt: updatedAt.replace(/\.\d+/, '') })),
    telling(() => ({ itemCount: 1 })),
    listing((sessions) => sessions.filter(({ items }) => items.length > 3)),
  ],
  'a session created by a transaction or a compaction is listed': [
    listing((sessions) => sessions.filter(({ operations }) => operations.size === 0)),
    listing((sessions) => sessions.filter(({ operations }) => operations.size > 0)),
  ],
  'an emptied session is still listed, with no items and its createdAt': [
    listing((sessions) => sessions.filter(({ items }) => items.length > 0)),
    telling(({ updatedAt }) => ({ createdAt: updatedAt })),
  ],
  'the item count follows every change': telling(({ sessionId, itemCount }) => {
    itemCounts.set(sessionId, Math.max(itemCount, itemCounts.get(sessionId) ?? 0));
    return { itemCount: itemCounts.get(sessionId) };
  }),
  'the item count is right after many concurrent appends': storeOf(losesUpdates),
  'every change advances updatedAt, and none changes createdAt': [
    telling(({ createdAt }) => ({ updatedAt: createdAt })),
    telling(({ updatedAt }) => ({ createdAt: updatedAt })),
    storeOf(
      class extends ReferenceSession {
        override async popItem(): Promise<JsonObject | undefined> {
          const { updatedAt = 0 } = this.backend.sessions.get(this.id) ?? {};
          const item = await super.popItem();
          const stored = this.backend.sessions.get(this.id);
          if (stored !== undefined) this.backend.sessions.set(this.id, { ...stored, updatedAt });
          return item;
        }
      },
    ),
  ],
  'reading is not activity: it changes neither times nor order': storeOf(
    class extends ReferenceSession {
      override async getItems(limit?: number): Promise<JsonObject[]> {
        await this.change(touch);
        return super.getItems(limit);
      }
    },
  ),
  'mutations without effect are not activity': storeOf(
    class extends ReferenceSession {
      override async applyHistoryMutations(args: { mutations: SessionHistoryMutation[] }): Promise<void> {
        await this.change(touch);
        return super.applyHistoryMutations(args);
      }
    },
  ),
  'sessions are listed by their newest activity, whatever it was': [
    listing((sessions) => sessions.reverse()),
    listing((sessions) => sessions.sort((a, b) => b.createdAt - a.createdAt)),
    listing((sessions) => sessions.sort((a, b) => a.sessionId.localeCompare(b.sessionId))),
  ],
  "changing a list's result changes nothing stored": class extends ReferenceStore {
    #page: Page<SessionInfo> | undefined;

    override async list(options?: PageOptions): Promise<Page<SessionInfo>> {
      this.#page ??= await super.list(options);
      return this.#page;
    }
  },
};
