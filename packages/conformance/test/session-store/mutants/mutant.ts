import type { Page, PageOptions, SessionInfo } from '@keepsake/core';
import { type ReferenceBackend, ReferenceSession, type StoredSession } from '../../session/reference.ts';
import { ReferenceStore } from '../reference-store.ts';

export type StoreMutant = typeof ReferenceStore;

/** A store of sessions that break a promise. */
export function storeOf(Session: typeof ReferenceSession): StoreMutant {
  return class extends ReferenceStore {
    protected override readonly Session = Session;
  };
}

/** Lists other sessions than there are, or in another order. */
export function listing(all: (sessions: StoredSession[]) => StoredSession[]): StoreMutant {
  return class extends ReferenceStore {
    protected override all(): StoredSession[] {
      return all(super.all());
    }
  };
}

/** Says something else about a session. */
export function telling(
  tell: (info: SessionInfo, session: StoredSession) => Partial<Record<keyof SessionInfo, unknown>>,
): StoreMutant {
  return class extends ReferenceStore {
    protected override info(session: StoredSession): SessionInfo {
      const info = super.info(session);
      return { ...info, ...tell(info, session) } as SessionInfo;
    }
  };
}

/** Gives other pages. */
export function paging(change: (page: Page<SessionInfo>, options: PageOptions) => Page<SessionInfo>): StoreMutant {
  return class extends ReferenceStore {
    override async list(options: PageOptions = {}): Promise<Page<SessionInfo>> {
      return change(await super.list(options), options);
    }
  };
}

export const limiting = (limit: (options: PageOptions | undefined) => number): StoreMutant =>
  class extends ReferenceStore {
    protected override limit(options: PageOptions | undefined): number {
      return limit(options);
    }
  };

/** Deletes in some other way. */
export function deleting(
  remove: (backend: ReferenceBackend, sessionId: string) => boolean | Promise<boolean>,
): StoreMutant {
  return class extends ReferenceStore {
    override async delete(sessionId: string): Promise<boolean> {
      await this.backend.wait();
      return remove(this.backend, sessionId);
    }
  };
}

/** By the title of a case: what it must fail on. */
export type StoreMutants = Readonly<Record<string, StoreMutant | readonly StoreMutant[]>>;

/** Comes into being also where there is nothing to clear. */
export class WritesOnEveryChange extends ReferenceSession {
  override async clearSession(): Promise<void> {
    await this.change(() => ({ items: [], operations: new Map() }));
  }
}

/** Forgets the items, and keeps the rest. */
export function empties(backend: ReferenceBackend, sessionId: string): boolean {
  const stored = backend.sessions.get(sessionId);
  if (stored === undefined || stored.items.length === 0) return false;
  backend.sessions.set(sessionId, { ...stored, items: [] });
  return true;
}
