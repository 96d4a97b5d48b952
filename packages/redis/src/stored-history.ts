import { randomUUID } from 'node:crypto';
import type { HistoryChange } from '@keepsake/core';
import type { Edits } from './history-edits.ts';
import { marksKey, type SessionKeys, sessionKeys } from './keys.ts';
import type { RedisClient, ScriptArguments } from './redis-client.ts';
import { asMemoryError } from './redis-errors.ts';
import { CHUNK, run, type Script } from './script.ts';
import {
  APPEND,
  APPEND_ON,
  CHANGE_END,
  CLEAR,
  DELETE,
  EDIT,
  MARKS_PERIOD_MS,
  READ_END,
  READ_ON,
  REPLACE,
  TOUCH,
} from './session-scripts.ts';

/** A change of a history's end: the items that it ends with are replaced by others. */
export type EndChange = Pick<HistoryChange, 'expectedSuffix' | 'items'> &
  Partial<Pick<HistoryChange, 'operationId' | 'digest'>>;

/** What became of an {@link EndChange}. */
export type EndOutcome =
  | { readonly kind: 'done' }
  /** The operation was done before; this is what it said. */
  | { readonly kind: 'known'; readonly digest: string }
  /** The history ends with these items instead, and nothing was changed. */
  | { readonly kind: 'other'; readonly tail: readonly string[] };

/** A whole history, and what tells whether it is still that. */
export interface Snapshot {
  readonly items: string[];
  readonly rewritten: string;
}

/** How many items are read at a time where nothing depends on reading them at once: Redis serves others in between. */
const PIECE = 2_000;

/** The history of a session as it lies in Redis: JSON texts. Each method but `readOn` is one atomic step. */
export class StoredHistory {
  readonly keys: SessionKeys;
  readonly #client: RedisClient;
  readonly #sessionId: string;
  readonly #ttlMs: number;
  #appendsOnUntil = 0;

  constructor(client: RedisClient, keyPrefix: string, sessionId: string, ttlMs: number) {
    this.keys = sessionKeys(keyPrefix, sessionId);
    this.#client = client;
    this.#sessionId = sessionId;
    this.#ttlMs = ttlMs;
  }

  /** The newest items, so many of them, oldest first. */
  async newest(count: number): Promise<string[]> {
    try {
      return (await this.#client.call('lrange', [this.keys.items, count === Infinity ? 0 : -count, -1])) as string[];
    } catch (error) {
      throw asMemoryError(error, false);
    }
  }

  /** The newest items, so many of them, oldest first; and how many there are in all. */
  async newestOf(count: number): Promise<{ readonly items: string[]; readonly length: number }> {
    const most = Math.min(count, Number.MAX_SAFE_INTEGER);
    const [length, items] = (await run(this.#client, READ_END, [this.keys.items], most)) as [number, string[]];
    return { items, length: Number(length) };
  }

  /** Begins the time to live anew. */
  async touch(): Promise<void> {
    await this.#change(TOUCH);
  }

  async append(items: readonly string[]): Promise<void> {
    const now = Date.now();
    const on = now < this.#appendsOnUntil && items.length <= CHUNK;
    if (on && (await this.#appendOn(items, periodOf(now)))) return;
    const ms = Number(await this.#change(APPEND, items));
    // Of each period, the first change sees to it that its marks go again.
    this.#appendsOnUntil = Math.min(now + ms, (periodOf(now) + 1) * MARKS_PERIOD_MS);
  }

  async #appendOn(texts: readonly string[], period: number): Promise<boolean> {
    const { items, sessions } = this.keys;
    const keys = [items, sessions, marksKey(this.keys, period)];
    return Number(await run(this.#client, APPEND_ON, keys, randomUUID(), this.#sessionId, this.#ttlMs, texts)) === 1;
  }

  async changeEnd({ operationId = '', digest = '', expectedSuffix, items }: EndChange): Promise<EndOutcome> {
    const values = [operationId, digest, expectedSuffix.length, expectedSuffix, items];
    const [kind, detail] = (await this.#change(CHANGE_END, ...values)) as [EndOutcome['kind'], unknown];
    if (kind === 'other') return { kind, tail: detail as string[] };
    return kind === 'known' ? { kind, digest: detail as string } : { kind };
  }

  /** Reads the whole history; from where `known` ends, as far as that still stands. */
  async readOn(known: Snapshot = { items: [], rewritten: '' }): Promise<Snapshot> {
    const { items, facts } = this.keys;
    let snapshot = known;
    for (;;) {
      const reply = await run(this.#client, READ_ON, [items, facts], snapshot.rewritten, snapshot.items.length, PIECE);
      const [rewritten, length, piece] = reply as [string, number, string[]];
      if (rewritten !== snapshot.rewritten) snapshot = { items: [], rewritten };
      for (const item of piece) snapshot.items.push(item);
      if (snapshot.items.length === Number(length)) return snapshot;
      // Somebody else cut the list, without a script of ours.
      if (snapshot.items.length > Number(length)) snapshot = { items: [], rewritten: '' };
    }
  }

  /** Whether the edits were made: they are not where the history is another by now. */
  async edit({ rewritten, items }: Snapshot, { replaced, dropped }: Edits): Promise<boolean> {
    const edits = [replaced.length, ...replaced.flat(), ...dropped];
    return (await this.#change(EDIT, rewritten, items.length, edits)) === 'done';
  }

  /** Whether all items were replaced: they are not where the history is another by now. */
  async replace({ rewritten, items }: Snapshot, by: readonly string[]): Promise<boolean> {
    return (await this.#change(REPLACE, rewritten, items.length, by)) === 'done';
  }

  async clear(): Promise<void> {
    await this.#change(CLEAR);
  }

  /** Removes the session, and says whether it was there. */
  async remove(): Promise<boolean> {
    return Number(await this.#change(DELETE)) === 1;
  }

  #change(script: Script, ...values: readonly ScriptArguments[]): Promise<unknown> {
    const { items, facts, sessions, expiry } = this.keys;
    const marks = marksKey(this.keys, periodOf(Date.now()));
    const keys = [items, facts, sessions, expiry, marks];
    return run(this.#client, script, keys, randomUUID(), this.#sessionId, this.#ttlMs, ...values);
  }
}

function periodOf(now: number): number {
  return Math.floor(now / MARKS_PERIOD_MS);
}
