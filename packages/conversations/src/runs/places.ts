import type { Namespace, RecordStore } from '@keepsake/core';
import { asSegment, LruMap } from '@keepsake/internal';
import type { ConversationKind } from './kind.ts';

/** The maximum number of open namespaces. A store may hold an index of each in memory. */
const MAX_OPEN = 200;

/**
 * The layout of a store: all namespaces and record ids.
 *
 * | Below `conversations` | Ids | Records |
 * | --- | --- | --- |
 * | `sessions` | kind and session id | The sessions |
 * | `users`, user | the same | Which sessions are a user's |
 * | `runs`, kind, session | `seq` | The runs, in the order of their `seq`, which is that of their creation |
 * | `run-parts`, kind, session | `seq`, a write, a number | The rest of runs over 1 MiB |
 * | `unfinished` | kind and run id | The runs that have not completed, with the last sign of life of those that are running |
 * | `run-ids`, kind | run id | In which session a run is, and its `seq` |
 * | `clock` | `now` | A record only while the time of the store is read |
 * | `profiles`, `user` or `session` | user id, or kind and session id | The profiles |
 *
 * Ids that are reserved segments are escaped, so that none is taken for the mark of a user's private memory. A tenant called
 * `user` is escaped, too: what is below `user` and a name belongs to the user of that name.
 */
export class Places {
  readonly #root: RecordStore;
  readonly #open = new LruMap<string, RecordStore>(MAX_OPEN);

  /** @param tenant - The tenant. Other tenants, and conversations without a tenant, are elsewhere. */
  constructor(store: RecordStore, tenant: string | undefined) {
    this.#root = store.within(
      tenant === undefined ? ['conversations'] : ['conversations', 'tenants', asSegment(tenant)],
    );
  }

  get sessions(): RecordStore {
    return this.#at(['sessions']);
  }

  /** The parent of the namespaces of {@link Places.sessionsOf}. */
  get users(): RecordStore {
    return this.#at(['users']);
  }

  sessionsOf(userId: string): RecordStore {
    return this.#at(['users', asSegment(userId)]);
  }

  runs(kind: ConversationKind, sessionId: string): RecordStore {
    return this.#at(['runs', kind, asSegment(sessionId)]);
  }

  runParts(kind: ConversationKind, sessionId: string): RecordStore {
    return this.#at(['run-parts', kind, asSegment(sessionId)]);
  }

  runIds(kind: ConversationKind): RecordStore {
    return this.#at(['run-ids', kind]);
  }

  get unfinished(): RecordStore {
    return this.#at(['unfinished']);
  }

  /**
   * The time of the store in milliseconds since 1970, which only a write tells. Clocks of processes can differ from it; a
   * store that takes no writes has none to compare with.
   */
  async now(): Promise<number> {
    if (!this.#root.writable) return Date.now();
    const clock = this.#at(['clock']);
    const { id, updatedAt } = await clock.put({ id: 'now', content: 'now', index: false });
    // Nothing stays that another clock has written.
    await clock.delete(id);
    return Date.parse(updatedAt);
  }

  profiles(scope: 'user' | 'session'): RecordStore {
    return this.#at(['profiles', scope]);
  }

  #at(segments: Namespace): RecordStore {
    return this.#open.getOrCreate(JSON.stringify(segments), () => this.#root.within(segments));
  }
}

/** No kind contains a colon, so ids are unique. */
export function sessionRecordId(kind: ConversationKind, sessionId: string): string {
  return `${kind}:${sessionId}`;
}

/** All ids have the same length, so a late run costs as much as an early one. */
export function runRecordId(seq: number): string {
  return String(seq).padStart(12, '0');
}
