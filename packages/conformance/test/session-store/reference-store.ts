import {
  type DurableSession,
  formatNamespace,
  type Page,
  type PageOptions,
  type SessionInfo,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import {
  CursorSeal,
  checkId,
  checkNamespace,
  expectKnownFields,
  PAGE_OPTIONS,
  pageLimit,
} from '@keepsake/core/adapter';
import type { SessionStoreHarness } from '../../src/session-store/harness.ts';
import { ReferenceBackend, ReferenceSession, type StoredSession } from '../session/reference.ts';

const seal = new CursorSeal('reference');

/** The simplest correct store. Mutants override its protected methods. */
export class ReferenceStore implements SessionStore {
  protected readonly backend: ReferenceBackend;
  protected readonly Session: typeof ReferenceSession = ReferenceSession;

  constructor(backend: ReferenceBackend) {
    this.backend = backend;
  }

  open<Item extends object>(sessionId?: string): DurableSession<Item> {
    return new this.Session(this.backend, sessionId) as unknown as DurableSession<Item>;
  }

  /** All sessions, in the order of the list. */
  protected all(): StoredSession[] {
    return [...this.backend.sessions.values()].sort((a, b) => b.order - a.order);
  }

  protected info({ sessionId, items, createdAt, updatedAt }: StoredSession): SessionInfo {
    const iso = (time: number) => new Date(time).toISOString();
    return { sessionId, itemCount: items.length, createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
  }

  protected checkOptions(options: SessionListOptions): SessionListOptions {
    return expectKnownFields(options, { ...PAGE_OPTIONS, idPrefix: true, segment: true });
  }

  protected limit(options: PageOptions | undefined): number {
    return pageLimit(options);
  }

  /** The position of a session in the list, for cursors. */
  protected position(session: StoredSession): number {
    return session.order;
  }

  protected after(sessions: StoredSession[], position: number): StoredSession[] {
    return sessions.filter((session) => session.order < position);
  }

  protected begins(session: StoredSession, idPrefix: string): boolean {
    return session.sessionId.startsWith(idPrefix);
  }

  protected has(session: StoredSession, segment: string): boolean {
    return session.sessionId.split(':').includes(formatNamespace([segment]));
  }

  async list(given: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const options = this.checkOptions(given);
    const limit = this.limit(options);
    const position = await seal.read(options.cursor, 'reference sessions', []);
    await this.backend.wait();
    const { idPrefix, segment } = options;
    if (idPrefix !== undefined) checkId(idPrefix, 'idPrefix');
    if (segment !== undefined) checkNamespace([segment]);
    const all = this.all()
      .filter((session) => idPrefix === undefined || this.begins(session, idPrefix))
      .filter((session) => segment === undefined || this.has(session, segment));
    const rest = position === undefined ? all : this.after(all, position);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    if (last === undefined || rest.length === items.length) return { items: items.map((one) => this.info(one)) };
    const cursor = await seal.write('reference sessions', [], this.position(last));
    return { items: items.map((one) => this.info(one)), cursor };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    await this.backend.wait();
    return this.backend.sessions.delete(sessionId);
  }
}

/** An empty backend for stores of that class. */
export function storeHarnessOf(Store: typeof ReferenceStore, shared = true): SessionStoreHarness {
  const backend = new ReferenceBackend();
  return { store: new Store(backend), reopen: () => new Store(shared ? backend : new ReferenceBackend()) };
}
