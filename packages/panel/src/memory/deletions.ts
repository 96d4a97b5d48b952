import { Refusal } from '../http/refusal.ts';
import { newSecret } from '../http/secrets.ts';

/** For how long a preview can be confirmed. */
const VALID_MS = 10 * 60_000;
/** How many previews are kept, the latest. */
const MAX_PREVIEWS = 20;

/** A record in the version that the preview showed. */
export interface Target {
  readonly namespace: string;
  readonly id: string;
  readonly version: number;
}

/** A deletion of exactly the records that its preview counted. */
export interface Deletion {
  readonly expiresAt: number;
  /** Those that are left. */
  readonly targets: Target[];
  deleted: number;
  changed: number;
  gone: number;
  /** The step in progress: another one waits for it. */
  step: Promise<unknown>;
}

/** Deletions that were previewed, by their tokens. */
export class Deletions {
  readonly #deletions = new Map<string, Deletion>();

  /** Returns the token of a new deletion. */
  add(targets: Target[]): string {
    const now = performance.now();
    for (const [token, { expiresAt }] of this.#deletions) if (expiresAt < now) this.#deletions.delete(token);
    const [oldest] = this.#deletions.keys();
    if (oldest !== undefined && this.#deletions.size >= MAX_PREVIEWS) this.#deletions.delete(oldest);
    const token = newSecret();
    const counts = { deleted: 0, changed: 0, gone: 0 };
    this.#deletions.set(token, { expiresAt: now + VALID_MS, targets, ...counts, step: Promise.resolve() });
    return token;
  }

  /** @throws Refusal `CONFLICT` for a deletion that is done or too old. */
  find(token: string): Deletion {
    const deletion = this.#deletions.get(token);
    if (deletion !== undefined && deletion.expiresAt >= performance.now()) return deletion;
    throw new Refusal(409, 'CONFLICT', 'This preview is done or too old. Preview the deletion again.');
  }

  /** Forgets a deletion that is done. */
  remove(token: string): void {
    this.#deletions.delete(token);
  }
}
