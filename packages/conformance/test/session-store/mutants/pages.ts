import { MemoryError, type Page, type PageOptions, type SessionInfo } from '@keepsake/core';
import { pageLimit } from '@keepsake/core/adapter';
import { cachesReads } from '../../session/mutants/mutant.ts';
import type { StoredSession } from '../../session/reference.ts';
import { ReferenceStore } from '../reference-store.ts';

import { deleting, empties, limiting, type StoreMutants, storeOf } from './mutant.ts';

export const pagingMutants: StoreMutants = {
  'pages of any size return each session once, in the order of the list': [
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
  'sessions written concurrently are each returned once, with any page size': class extends ReferenceStore {
    protected override position({ updatedAt }: StoredSession): number {
      return updatedAt;
    }

    protected override after(sessions: StoredSession[], position: number): StoredSession[] {
      return sessions.filter(({ updatedAt }) => updatedAt < position);
    }
  },
  'a page has at most its limit of sessions, and a cursor unless it is the last': [
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
  'without a limit, a page has 100 sessions': [
    limiting((options) => options?.limit ?? 50),
    limiting((options) => options?.limit ?? 1_000),
  ],
  'idle sessions are returned once while others are written and deleted between pages': class extends ReferenceStore {
    protected override position(session: StoredSession): number {
      return this.all().findIndex(({ sessionId }) => sessionId === session.sessionId) + 1;
    }

    protected override after(sessions: StoredSession[], position: number): StoredSession[] {
      return sessions.slice(position);
    }
  },
  'a limit that is not a whole number from 1 to 1,000 is refused': [
    limiting((options) => Math.min(Math.max(Number(options?.limit ?? 100) || 100, 1), 1_000)),
    limiting((options) => (options?.limit === 1_001 ? 1_000 : pageLimit(options))),
    limiting((options) => options?.limit || pageLimit({})),
  ],
  'a misspelt option is refused, with the nearest name': [
    class extends ReferenceStore {
      protected override checkOptions(options: PageOptions): PageOptions {
        return options;
      }
    },
    class extends ReferenceStore {
      protected override checkOptions(options: PageOptions): PageOptions {
        const isKnown = (name: string) => ['limit', 'cursor'].includes(name);
        if (!Object.keys(options).every(isKnown))
          throw new MemoryError('INVALID_ARGUMENT', 'Unknown option in a list.');
        return options;
      }
    },
  ],
  'options that throw when they are read are refused, and each is read once': [
    class extends ReferenceStore {
      override async list(options?: PageOptions): Promise<Page<SessionInfo>> {
        return super.list({ ...options });
      }
    },
    class extends ReferenceStore {
      override async list(options?: PageOptions): Promise<Page<SessionInfo>> {
        JSON.stringify(options);
        return super.list(options);
      }
    },
  ],
  'an invalid cursor is refused': [
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
  'a cursor does not reveal how often other sessions were written': class extends ReferenceStore {
    override async list(options: PageOptions = {}): Promise<Page<SessionInfo>> {
      const [cursor] = options.cursor?.split('#') ?? [];
      const page = await super.list({ ...options, cursor });
      const last = this.backend.sessions.get(page.items.at(-1)?.sessionId ?? '');
      return page.cursor === undefined ? page : { ...page, cursor: `${page.cursor}#${last?.order}` };
    }
  },
};

export const deletingMutants: StoreMutants = {
  'deleting returns whether the session existed': [
    deleting((backend, sessionId) => backend.sessions.delete(sessionId) || true),
    deleting((backend, sessionId) => backend.sessions.delete(sessionId) && false),
    deleting((backend, sessionId) => {
      if (!backend.sessions.delete(sessionId)) throw new MemoryError('INVALID_ARGUMENT', 'There is no such session.');
      return true;
    }),
  ],
  'an emptied session exists and can be deleted': deleting(empties),
  'a deleted session is empty in open instances, and is not listed': [
    deleting(empties),
    deleting(() => true),
    storeOf(cachesReads),
  ],
  'a deleted session can be used again, also by open instances': [
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
  'deleting does not affect sessions with similar ids': [
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
  'of many concurrent deletes of a session, one returns true': deleting(async (backend, sessionId) => {
    const there = backend.sessions.has(sessionId);
    await backend.wait();
    backend.sessions.delete(sessionId);
    return there;
  }),
  'deleting an invalid id is refused': deleting((backend, sessionId) => backend.sessions.delete(sessionId)),
};
