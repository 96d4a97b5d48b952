import { randomBytes } from 'node:crypto';
import type { HistoryChange } from '@keepsake/core/adapter';
import { requestsKey, type SessionKeys, sessionKeys } from '../client/keys.ts';
import type { RedisClient, ScriptArguments } from '../client/redis-client.ts';
import { run, type Script, sending, UNPACK_LIMIT } from '../client/script.ts';
import {
  APPEND,
  APPEND_KEYS,
  APPEND_TO_LISTED,
  CHANGE_END,
  CLEAR,
  DELETE,
  EDIT,
  END_REPLY,
  READ_END,
  READ_PIECE,
  REPLACE,
  REWRITE_REPLY,
  TOUCH,
} from '../lua/sessions/history.ts';
import { REQUESTS_PERIOD_MS, SESSION_KEYS } from '../lua/sessions/session-change.ts';
import type { Edits } from './history-edits.ts';

/** A change of the end of a history: replaces the items that it must end with by others. */
export type EndChange = Pick<HistoryChange, 'expectedSuffix' | 'items'> &
  Partial<Pick<HistoryChange, 'operationId' | 'digest'>>;

/** What came of an {@link EndChange}. */
export type EndOutcome =
  | { readonly kind: typeof END_REPLY.done }
  /** The operation was done before, with this digest. */
  | { readonly kind: typeof END_REPLY.repeated; readonly digest: string }
  /** The history ends with these items instead. Nothing was changed. */
  | { readonly kind: typeof END_REPLY.mismatch; readonly tail: readonly string[] };

/** A whole history. With `rewritten`, a change can check that the history is still the same. */
export interface HistorySnapshot {
  readonly items: string[];
  readonly rewritten: string;
}

const IDEMPOTENCY_KEY_BYTES = 12;

/** How many items are read at a time if they need not be read at once, so that Redis serves others in between. */
const PIECE_SIZE = 2_000;

/** The history of a session as it is in Redis: JSON texts. Each method but `readAll` is one atomic step. */
export class StoredHistory {
  readonly keys: SessionKeys;
  readonly #client: RedisClient;
  readonly #sessionId: string;
  readonly #ttlMs: number;
  #listedUntil = 0;

  constructor(client: RedisClient, keyPrefix: string, sessionId: string, ttlMs: number) {
    this.keys = sessionKeys(keyPrefix, sessionId);
    this.#client = client;
    this.#sessionId = sessionId;
    this.#ttlMs = ttlMs;
  }

  /** Reads the newest items, oldest first. */
  async newest(count: number): Promise<string[]> {
    const range = [this.keys.items, count === Infinity ? 0 : -count, -1];
    return sending(this.#client, false, () => this.#client.call('lrange', range) as Promise<string[]>);
  }

  /** Reads the newest items, oldest first, and how many there are in all. */
  async newestOf(count: number): Promise<{ readonly items: string[]; readonly length: number }> {
    const limit = Math.min(count, Number.MAX_SAFE_INTEGER);
    const [length, items] = (await run(this.#client, READ_END, [this.keys.items], limit)) as [number, string[]];
    return { items, length: Number(length) };
  }

  /** Restarts the TTL. */
  async touch(): Promise<void> {
    await this.#change(TOUCH);
  }

  async append(items: readonly string[]): Promise<void> {
    const now = Date.now();
    const isListed = now < this.#listedUntil && items.length <= UNPACK_LIMIT;
    if (isListed && Number(await this.#change(APPEND_TO_LISTED, items)) === 1) return;
    const ms = Number(await this.#change(APPEND, items));
    // The first change of each period must be one that makes the idempotency keys of that period expire.
    this.#listedUntil = Math.min(now + ms, (periodOf(now) + 1) * REQUESTS_PERIOD_MS);
  }

  async changeEnd({ operationId = '', digest = '', expectedSuffix, items }: EndChange): Promise<EndOutcome> {
    const values = [operationId, digest, expectedSuffix.length, expectedSuffix, items];
    const [kind, detail] = (await this.#change(CHANGE_END, ...values)) as [EndOutcome['kind'], unknown];
    if (kind === END_REPLY.mismatch) return { kind, tail: detail as string[] };
    return kind === END_REPLY.repeated ? { kind, digest: detail as string } : { kind };
  }

  /** Reads the whole history, only from the end of `known` on if that is still valid. */
  async readAll(known: HistorySnapshot = { items: [], rewritten: '' }): Promise<HistorySnapshot> {
    const keys = [this.keys.items, this.keys.metadata];
    let snapshot = known;
    for (;;) {
      const reply = await run(this.#client, READ_PIECE, keys, snapshot.rewritten, snapshot.items.length, PIECE_SIZE);
      const [rewritten, length, piece] = reply as [string, number, string[]];
      if (rewritten !== snapshot.rewritten) snapshot = { items: [], rewritten };
      for (const item of piece) snapshot.items.push(item);
      if (snapshot.items.length === Number(length)) return snapshot;
      // Another program cut the list.
      if (snapshot.items.length > Number(length)) snapshot = { items: [], rewritten: '' };
    }
  }

  /** Makes the edits if the history is still the same. Returns whether it was. */
  async edit({ rewritten, items }: HistorySnapshot, { replaced, dropped }: Edits): Promise<boolean> {
    const edits = [replaced.length, ...replaced.flat(), ...dropped];
    return (await this.#change(EDIT, rewritten, items.length, edits)) === REWRITE_REPLY.done;
  }

  /** Replaces all items if the history is still the same. Returns whether it was. */
  async replace({ rewritten, items }: HistorySnapshot, by: readonly string[]): Promise<boolean> {
    return (await this.#change(REPLACE, rewritten, items.length, by)) === REWRITE_REPLY.done;
  }

  async clear(): Promise<void> {
    await this.#change(CLEAR);
  }

  /** Removes the session. Returns whether it existed. */
  async remove(): Promise<boolean> {
    return Number(await this.#change(DELETE)) === 1;
  }

  #change(script: Script, ...values: readonly ScriptArguments[]): Promise<unknown> {
    const requests = requestsKey(this.keys, periodOf(Date.now()));
    const all = { ...this.keys, requests };
    const keys = (script === APPEND_TO_LISTED ? APPEND_KEYS : SESSION_KEYS).map((name) => all[name]);
    return run(this.#client, script, keys, randomBytes(IDEMPOTENCY_KEY_BYTES), this.#sessionId, this.#ttlMs, ...values);
  }
}

function periodOf(now: number): number {
  return Math.floor(now / REQUESTS_PERIOD_MS);
}
