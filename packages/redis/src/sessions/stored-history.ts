import type { AskedHistory, DecideEdit, DecideItems, SessionBackend } from '@keepsake/core/adapter';
import { newIdempotencyKey } from '../client/idempotency-key.ts';
import { requestsKey, type SessionKeys, sessionKeys } from '../client/keys.ts';
import type { ScriptArguments } from '../client/redis-client.ts';
import { run, type Script, UNPACK_LIMIT, watchErrors } from '../client/script.ts';
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
import type { CheckedSessionOptions } from './session-options.ts';

/** What came of a change of the end of a history. */
type EndOutcome =
  | { readonly kind: typeof END_REPLY.done }
  /** The operation was done before, with this digest. */
  | { readonly kind: typeof END_REPLY.repeated; readonly digest: string }
  /** The history ends with these items instead. Nothing was changed. */
  | { readonly kind: typeof END_REPLY.mismatch; readonly tail: readonly string[] };

/** A whole history. With `rewritten`, a change can check that the history is still the same. */
interface HistorySnapshot {
  readonly items: string[];
  readonly rewritten: string;
}

/** How many items are read at a time if they need not be read at once, so that Redis serves others in between. */
const PIECE_SIZE = 2_000;

/** The history of a session as it is in Redis: JSON texts. */
export class StoredHistory implements SessionBackend {
  readonly repair = 'repair the item in Redis';
  readonly #keys: SessionKeys;
  readonly #sessionId: string;
  readonly #options: CheckedSessionOptions;
  #listedUntil = 0;

  constructor(sessionId: string, options: CheckedSessionOptions) {
    this.#keys = sessionKeys(options.keyPrefix, sessionId);
    this.#sessionId = sessionId;
    this.#options = options;
  }

  async newest(limit: number): Promise<string[]> {
    // Sends both at once, so that reading stays one round trip.
    const touched = this.#options.refresh === 'access' && this.#change(TOUCH);
    const [items] = await Promise.all([this.#end(limit), touched]);
    return items;
  }

  async numbered(limit: number) {
    const { client } = this.#options;
    const reply = await run(client, READ_END, [this.#keys.items], Math.min(limit, Number.MAX_SAFE_INTEGER));
    const [length, items] = reply as [number, string[]];
    const first = Number(length) - items.length;
    return items.map((text, index) => ({ number: first + index, text }));
  }

  onDamage(index: number): void {
    this.#options.onCorrupt({ sessionId: this.#sessionId, key: this.#keys.items, index });
  }

  async append(items: readonly string[]): Promise<void> {
    const now = Date.now();
    const isListed = now < this.#listedUntil && items.length <= UNPACK_LIMIT;
    if (isListed && Number(await this.#change(APPEND_TO_LISTED, items)) === 1) return;
    const ms = Number(await this.#change(APPEND, items));
    // The first change of each period must be one that makes the idempotency keys of that period expire.
    this.#listedUntil = Math.min(now + ms, (periodOf(now) + 1) * REQUESTS_PERIOD_MS);
  }

  async change(asked: AskedHistory, decide: DecideEdit): Promise<void> {
    if (asked.items === Infinity) return this.#rewrite(decide);
    let state: Parameters<DecideEdit>[0] = asked.expected ?? { exists: true, items: await this.#end(asked.items) };
    for (;;) {
      const edit = decide(state);
      if (edit === undefined) return;
      if (edit.forgetOperations) {
        await this.#change(CLEAR);
        return;
      }
      const outcome = await this.#changeEnd(state.items, edit.append, asked.operation);
      if (outcome.kind === END_REPLY.done) return;
      // Another caller was faster, or Redis has the same JSON as other text. One caller always succeeds, so this ends.
      state = outcome.kind === END_REPLY.mismatch ? { ...state, items: outcome.tail } : { ...state, ...outcome };
    }
  }

  async edit(_texts: readonly string[], decide: DecideItems): Promise<void> {
    let snapshot = await this.#readAll();
    for (;;) {
      const { rewritten, items } = snapshot;
      const replaced: (string | number)[] = [];
      const dropped: number[] = [];
      decide(items).forEach((item, index) => {
        if (item === undefined) dropped.push(index);
        else if (item !== items[index]) replaced.push(index, item);
      });
      if (replaced.length + dropped.length === 0) return;
      const edits = [replaced.length / 2, ...replaced, ...dropped];
      if ((await this.#change(EDIT, rewritten, items.length, edits)) === REWRITE_REPLY.done) return;
      snapshot = await this.#readAll(snapshot);
    }
  }

  /** Removes the session. Returns whether it existed. */
  async remove(): Promise<boolean> {
    return Number(await this.#change(DELETE)) === 1;
  }

  /** Replaces the whole history, unless it changes after it was read. Then reads what is new, and decides again. */
  async #rewrite(decide: DecideEdit): Promise<void> {
    let snapshot = await this.#readAll();
    for (;;) {
      const { rewritten, items } = snapshot;
      const edit = decide({ exists: rewritten !== '' || items.length > 0, items });
      if (edit === undefined) return;
      if ((await this.#change(REPLACE, rewritten, items.length, edit.append)) === REWRITE_REPLY.done) return;
      snapshot = await this.#readAll(snapshot);
    }
  }

  /** The newest items, oldest first. */
  async #end(count: number): Promise<string[]> {
    const { client } = this.#options;
    const toMemoryError = watchErrors(client, false);
    try {
      return (await client.call('lrange', [this.#keys.items, count === Infinity ? 0 : -count, -1])) as string[];
    } catch (error) {
      throw toMemoryError(error);
    }
  }

  /** Replaces the items that the history must end with by others. */
  async #changeEnd(
    expected: readonly string[],
    items: readonly string[],
    { operationId, digest }: NonNullable<AskedHistory['operation']> = { operationId: '', digest: '' },
  ): Promise<EndOutcome> {
    const reply = await this.#change(CHANGE_END, operationId, digest, expected.length, expected, items);
    const [kind, detail] = reply as [EndOutcome['kind'], unknown];
    if (kind === END_REPLY.mismatch) return { kind, tail: detail as string[] };
    return kind === END_REPLY.repeated ? { kind, digest: detail as string } : { kind };
  }

  /** Reads the whole history, only from the end of `knownSnapshot` on if that is still valid. */
  async #readAll(knownSnapshot: HistorySnapshot = { items: [], rewritten: '' }): Promise<HistorySnapshot> {
    const { client } = this.#options;
    const keys = [this.#keys.items, this.#keys.metadata];
    let snapshot = knownSnapshot;
    for (;;) {
      const reply = await run(client, READ_PIECE, keys, snapshot.rewritten, snapshot.items.length, PIECE_SIZE);
      const [rewritten, length, piece] = reply as [string, number, string[]];
      if (rewritten !== snapshot.rewritten) snapshot = { items: [], rewritten };
      for (const item of piece) snapshot.items.push(item);
      if (snapshot.items.length === Number(length)) return snapshot;
      // Another program cut the list.
      if (snapshot.items.length > Number(length)) snapshot = { items: [], rewritten: '' };
    }
  }

  #change(script: Script, ...values: readonly ScriptArguments[]): Promise<unknown> {
    const { client, ttlMs } = this.#options;
    const requests = requestsKey(this.#keys, periodOf(Date.now()));
    const all = { ...this.#keys, requests };
    const keys = (script === APPEND_TO_LISTED ? APPEND_KEYS : SESSION_KEYS).map((name) => all[name]);
    return run(client, script, keys, newIdempotencyKey(), this.#sessionId, ttlMs, ...values);
  }
}

function periodOf(now: number): number {
  return Math.floor(now / REQUESTS_PERIOD_MS);
}
