import { MemoryError, type Page, type PageOptions, pageLimit, type SessionInfo } from '@keepsake/core';
import { cachesReads } from '../../session/mutants/mutant.ts';
import type { StoredSession } from '../../session/reference.ts';
import { ReferenceStore } from '../reference-store.ts';

import { deleting, empties, limiting, type StoreMutants, storeOf } from './mutant.ts';

export const pagingMutants: StoreMutants = {
  'pages of any size give each session once, in the order of the list': [
    class extends ReferenceStore {
      protected override after(sessions: StoredSession[], position: number): StoredSession[] {
        return super.after(sessions, position - 1);
      }
    },
    class extends ReferenceStore {
      protected override after(sessions: StoredSession[], position: number): StoredSession[] {
        return super.after(sessions, position + 1).reverse();
      }
    },
  ],
  'sessions written at once are each given once, whatever the size of pages': class extends ReferenceStore {
    protected override position({ updatedAt }: StoredSession): number {
      return updatedAt;
    }

    protected override after(sessions: StoredSession[], position: number): StoredSession[] {
      return sessions.filter(({ updatedAt }) => updatedAt < position);
    }
  },
  'a page holds at most its limit, and has a cursor unless it is the last': [
    limiting((options) => pageLimit(options) + 1),
    class extends ReferenceStore {
      override async list(options?: PageOptions): Promise<Page<SessionInfo>> {
        const page = await super.list(options);
        if (page.items.length < this.limit(options)) return page;
        const { cursor } = await super.list({ ...options, limit: this.limit(options) - 1 });
        return { cursor: cursor ?? 'more', ...page };
      }
    },
  ],
  'without a limit a page holds 100': [
    limiting((options) => options?.limit ?? 50),
    limiting((options) => options?.limit ?? 1_000),
  ],
  'sessions that rest are given once while others are written and deleted between pages': class extends ReferenceStore {
    protected override position(session: StoredSession): number {
      return this.all().findIndex(({ sessionId }) => sessionId === session.sessionId) + 1;
    }

    protected override after(sessions: StoredSession[], position: number): StoredSession[] {
      return sessions.slice(position);
    }
  },
  'a limit that is no whole number from 1 to 1,000 is refused': [
    limiting((options) => Math.min(Math.max(Number(options?.limit ?? 100) || 100, 1), 1_000)),
    limiting((options) => (options?.limit === 1_001 ? 1_000 : pageLimit(options))),
    limiting((options) => options?.limit || pageLimit({})),
  ],
  'a cursor that no list made is refused': [
    class extends ReferenceStore {
      override async list(options?: PageOptions): Promise<Page<SessionInfo>> {
        return super.list(options).catch(() => super.list({ limit: options?.limit ?? 100 }));
      }
    },
    class extends ReferenceStore {
      override async list(options: PageOptions = {}): Promise<Page<SessionInfo>> {
        const { cursor, ...rest } = options;
        return super.list(cursor ? options : rest);
      }
    },
  ],
};

export const deletingMutants: StoreMutants = {
  'deleting says whether the session was there': [
    deleting((backend, sessionId) => backend.sessions.delete(sessionId) || true),
    deleting((backend, sessionId) => backend.sessions.delete(sessionId) && false),
    deleting((backend, sessionId) => {
      if (!backend.sessions.delete(sessionId)) throw new MemoryError('INVALID_ARGUMENT', 'There is no such session.');
      return true;
    }),
  ],
  'a session that was emptied is there to be deleted': deleting(empties),
  'a deleted session is empty for whoever has it open, and is not listed': [
    deleting(empties),
    deleting(() => true),
    storeOf(cachesReads),
  ],
  'a deleted session can be used anew, also by whoever has it open': [
    deleting(empties),
    class extends ReferenceStore {
      #deleted = new Set<string>();

      override async delete(sessionId: string): Promise<boolean> {
        this.#deleted.add(sessionId);
        return super.delete(sessionId);
      }

      protected override all(): StoredSession[] {
        return super.all().filter(({ sessionId }) => !this.#deleted.has(sessionId));
      }
    },
  ],
  'deleting forgets the operation ids': deleting(empties),
  'deleting leaves sessions of look-alike ids alone': [
    deleting((backend, sessionId) => {
      for (const id of backend.sessions.keys()) {
        if (id !== sessionId && id.startsWith(sessionId)) backend.sessions.delete(id);
      }
      return backend.sessions.delete(sessionId);
    }),
    deleting((backend, sessionId) => {
      for (const id of backend.sessions.keys()) {
        if (id !== sessionId && id.normalize() === sessionId.normalize()) backend.sessions.delete(id);
      }
      return backend.sessions.delete(sessionId);
    }),
  ],
  'of many who delete a session at once one is told that it was there': deleting(async (backend, sessionId) => {
    const there = backend.sessions.has(sessionId);
    await backend.wait();
    backend.sessions.delete(sessionId);
    return there;
  }),
  'deleting an id that cannot be one is refused': deleting((backend, sessionId) => backend.sessions.delete(sessionId)),
};
