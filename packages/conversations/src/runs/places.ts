import type { Namespace, RecordStore } from '@keepsake/core';
import type { ConversationKind } from './kind.ts';

/** So many namespaces are kept open: a store may hold an index of each in memory. */
const MAX_OPEN = 200;

/**
 * Where everything lies in a store: every namespace and every id of a record is made here.
 *
 * | Below `conversations` | Ids | Records |
 * | --- | --- | --- |
 * | `sessions` | kind and session id | The sessions |
 * | `users`, user | the same | Which sessions are a user's |
 * | `runs`, kind, session | `seq` | The runs, in the order of their `seq`, which is that of their creation |
 * | `run-parts`, kind, session | `seq`, a write, a number | The rest of runs over 1 MiB |
 * | `run-ids`, kind | run id | In which session a run is, and its `seq` |
 * | `profiles`, `user` or `session` | user id, or kind and session id | The profiles |
 */
export class Places {
  readonly #root: RecordStore;
  readonly #open = new Map<string, RecordStore>();

  /** @param tenant - Whose conversations: those of another tenant, and those of none, are elsewhere. */
  constructor(store: RecordStore, tenant: string | undefined) {
    this.#root = store.within(tenant === undefined ? ['conversations'] : ['conversations', 'tenants', tenant]);
  }

  get sessions(): RecordStore {
    return this.#at(['sessions']);
  }

  sessionsOf(userId: string): RecordStore {
    return this.#at(['users', userId]);
  }

  runs(kind: ConversationKind, sessionId: string): RecordStore {
    return this.#at(['runs', kind, sessionId]);
  }

  runParts(kind: ConversationKind, sessionId: string): RecordStore {
    return this.#at(['run-parts', kind, sessionId]);
  }

  runIds(kind: ConversationKind): RecordStore {
    return this.#at(['run-ids', kind]);
  }

  profiles(scope: 'user' | 'session'): RecordStore {
    return this.#at(['profiles', scope]);
  }

  /** The store at a place; the one that was asked for least recently is let go of. */
  #at(segments: Namespace): RecordStore {
    const key = JSON.stringify(segments);
    const store = this.#open.get(key) ?? this.#root.within(segments);
    this.#open.delete(key);
    this.#open.set(key, store);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return store;
  }
}

/** No kind has a colon, so that no two sessions have one id. */
export function sessionRecordId(kind: ConversationKind, sessionId: string): string {
  return `${kind}:${sessionId}`;
}

/** Every id is as long as the others, so that a late run costs what an early one did. */
export function runRecordId(seq: number): string {
  return String(seq).padStart(12, '0');
}
