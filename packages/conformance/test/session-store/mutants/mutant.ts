import type { Page, PageOptions, SessionInfo, SessionListOptions } from '@keepsake/core';
import { type ReferenceBackend, ReferenceSession, type StoredSession } from '../../session/reference.ts';
import { ReferenceStore } from '../reference-store.ts';

export type StoreMutant = typeof ReferenceStore;

/** A store whose sessions break a promise. */
export function storeOf(Session: typeof ReferenceSession): StoreMutant {
  return class extends ReferenceStore {
    protected override readonly Session = Session;
  };
}

/** Lists wrong sessions, or in a wrong order. */
export function listing(all: (sessions: StoredSession[]) => StoredSession[]): StoreMutant {
  return class extends ReferenceStore {
    protected override all(): StoredSession[] {
      return all(super.all());
    }
  };
}

/** A list with an option. `real` lists as it should, with other options. */
export type WrongList<Option extends 'idPrefix' | 'segment'> = (
  real: (options: SessionListOptions) => Promise<Page<SessionInfo>>,
  options: SessionListOptions & Readonly<Record<Option, string>>,
) => Promise<Page<SessionInfo>>;

/** Lists in a wrong way if there is an option. */
export function listingWith<Option extends 'idPrefix' | 'segment'>(
  option: Option,
  list: WrongList<Option>,
): StoreMutant {
  return class extends ReferenceStore {
    override async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
      if (options[option] === undefined) return super.list(options);
      return list((changed) => super.list(changed), options as SessionListOptions & Readonly<Record<Option, string>>);
    }
  };
}

/** Returns wrong information about a session. */
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

/** Returns wrong pages. */
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

/** Deletes in a wrong way. */
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

/** The mutants that a case must detect, by its title. */
export type StoreMutants = Readonly<Record<string, StoreMutant | readonly StoreMutant[]>>;

/** Clearing it creates the session if it does not exist. */
export class WritesOnEveryChange extends ReferenceSession {
  override async clearSession(): Promise<void> {
    await this.change(() => ({ items: [], operations: new Map() }));
  }
}

/** Deletes only the items of a session. */
export function empties(backend: ReferenceBackend, sessionId: string): boolean {
  const stored = backend.sessions.get(sessionId);
  if (stored === undefined || stored.items.length === 0) return false;
  backend.sessions.set(sessionId, { ...stored, items: [] });
  return true;
}
