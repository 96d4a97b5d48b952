import { randomUUID } from 'node:crypto';

/** What a user was asked to confirm. */
export interface PendingForget {
  readonly query: string;
  readonly memories: readonly { readonly id: string; readonly version: number }[];
}

interface Kept {
  readonly pending: PendingForget;
  readonly owner: string;
  readonly until: number;
}

/** How many questions are kept, the latest, and for how long. */
const MAX_OPEN = 1_000;
const LIFETIME_MS = 10 * 60 * 1_000;

/**
 * The questions that users have not answered yet. Only their handles reach clients, in `requestState`: what a client sends
 * back is not trusted, and a handle is good for one answer of the owner who was asked.
 */
export class Confirmations {
  readonly #kept = new Map<string, Kept>();

  /** Keeps a question, and returns its handle. */
  open(pending: PendingForget, owner: string): string {
    const handle = randomUUID();
    this.#kept.set(handle, { pending, owner, until: performance.now() + LIFETIME_MS });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_OPEN) break;
      this.#kept.delete(oldest);
    }
    return handle;
  }

  /** Takes the question of a handle. Throws unless it is this owner's, unanswered and not too old. */
  take(handle: string, owner: string): PendingForget {
    const kept = this.#kept.get(handle);
    if (kept === undefined || kept.owner !== owner) throw new Error('Unknown requestState.');
    this.#kept.delete(handle);
    if (kept.until < performance.now()) throw new Error('Expired requestState.');
    return kept.pending;
  }
}
