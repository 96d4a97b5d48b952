import { createHash } from 'node:crypto';
import type { Embedder, Namespace } from '@keepsake/core';
import {
  changeGuarded,
  type DecideChanges,
  type GuardedChange,
  type GuardedResult,
  type IndexWriter,
  type LoggedRecord,
  type LogPart,
  type LogPosition,
  type LogRange,
  type RecordLog,
  type SavedIndex,
  type SeenInNamespace,
} from '@keepsake/search';
import { newIdempotencyKey } from '../client/idempotency-key.ts';
import { requestsKey, type StoreKeys, storeKeys } from '../client/keys.ts';
import type { RedisClient, ScriptArgument } from '../client/redis-client.ts';
import { run, runFor, type Script } from '../client/script.ts';
import {
  CHANGE,
  COMPACT,
  COUNT,
  LIST,
  READ,
  READ_CHANGES,
  REPLY,
  REQUESTS_PERIOD_MS,
} from '../lua/records/log-scripts.ts';
import { packId, unpackId } from './pack-id.ts';
import type { Registry } from './registry.ts';
import { readIndex, writeIndex } from './saved-indexes.ts';
import { bodyOf, readValue } from './stored-value.ts';

const EMBEDDER_BYTES = 8;
/** How many records one script reads. The server serves nobody else meanwhile. */
const STEP = 500;

export interface RedisLogOptions {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly registry: Registry;
  readonly embedder: Embedder | undefined;
}

/** The records of one namespace in Redis. */
export class RedisLog implements RecordLog {
  readonly namespace: Namespace;
  readonly #options: RedisLogOptions;
  readonly #keys: StoreKeys;
  readonly #keyList: readonly string[];
  /** Begins each vector of the embedder. */
  readonly #embedder: Buffer | undefined;
  readonly #seen: SeenInNamespace;

  constructor(options: RedisLogOptions, namespace: Namespace, seen: SeenInNamespace) {
    const { prefix, embedder } = options;
    this.namespace = namespace;
    this.#seen = seen;
    this.#options = options;
    this.#keys = storeKeys(prefix, namespace);
    this.#keyList = Object.values(this.#keys);
    this.#embedder = embedder && createHash('sha256').update(embedder.id).digest().subarray(0, EMBEDDER_BYTES);
  }

  async read(ids: readonly string[]): Promise<LoggedRecord[]> {
    const records: LoggedRecord[] = [];
    for (let from = 0; from < ids.length; from += STEP) {
      records.push(...readPairs(await this.#run(READ, ids.slice(from, from + STEP).map(packId))));
    }
    this.#seen.set(ids, records);
    return records;
  }

  async change(ids: readonly string[], decide: DecideChanges): Promise<void> {
    const key = newIdempotencyKey().toString('hex');
    const requests = requestsKey(this.#keys, Math.floor(Date.now() / REQUESTS_PERIOD_MS));
    const keys = [...this.#keyList.slice(0, -1), requests];
    await changeGuarded(
      { seen: this.#seen, read: (some) => this.read(some), make: (changes) => this.#make(changes, key, keys) },
      ids,
      decide,
    );
  }

  async #make(changes: readonly GuardedChange[], key: string, keys: readonly string[]): Promise<GuardedResult> {
    const values = changes.flatMap((change) => this.#argumentsOf(change));
    for (let gate: readonly ScriptArgument[] = ['', 0]; ; ) {
      const [reply, ...details] = await this.#run(CHANGE, [key, ...gate, ...values], keys);
      switch (String(reply)) {
        case REPLY.register:
          await this.#options.registry.register(this.namespace);
          gate = [String(details[0]), Number(details[1])];
          break;
        case REPLY.changed:
          return {
            known: details.flatMap((value, n) =>
              value === null ? [] : readValue((changes[n] as GuardedChange).id, value as Buffer),
            ),
          };
        default:
          return {
            now: new Date(Number(String(details[0]))),
            // Unknown if the change was sent again.
            ...(details[1] !== undefined && { before: Number(String(details[1])), writer: '' }),
          };
      }
    }
  }

  async changes(after: LogPosition | undefined): Promise<LogPart> {
    const [log, isBeginning, isLast, change, began, now, ...values] = await this.#run(READ_CHANGES, [
      ...[String(after?.log ?? ''), String(after?.change ?? ''), String(after?.began ?? '')],
      ...[STEP, this.#embedder === undefined ? '' : '1'],
    ]);
    const changes = Array.from({ length: values.length / 4 }, (_, n) => {
      const [packed, number, value, vector] = values.slice(4 * n, 4 * n + 4);
      const id = unpackId(packed as Buffer);
      if (value === null) return { deleted: id, change: Number(String(number)) };
      return { ...readValue(id, value as Buffer), vector: this.#readVector(vector as Buffer | null) };
    });
    return {
      log: log === null ? undefined : String(log),
      isBeginning: after === undefined || isBeginning === 1,
      changes,
      change: Number(String(change)),
      began: Number(String(began)),
      isLast: isLast === 1,
      now: Number(now),
    };
  }

  async list({ order, after, limit }: LogRange): Promise<LoggedRecord[]> {
    const records: LoggedRecord[] = [];
    for (let from: unknown = after ?? ''; ; ) {
      const [isEnd, reached, ...pairs] = await this.#run(LIST, [order, String(from), Math.min(limit, STEP)]);
      records.push(...readPairs(pairs));
      from = reached;
      if (records.length >= limit || isEnd === 1) return records.slice(0, limit);
    }
  }

  async count(): Promise<number> {
    return Number(await this.#run(COUNT, []));
  }

  clear(): Promise<number> {
    return this.empty(false);
  }

  /** Removes all records, or only a namespace without any, and then the namespace. */
  empty(onlyEmpty: boolean): Promise<number> {
    return this.#options.registry.empty(this.namespace, this.#keys, onlyEmpty);
  }

  async compact(): Promise<void> {
    while (Number(await run(this.#options.client, COMPACT, this.#keyList)) === 1) {}
  }

  readIndex(variant: string): Promise<SavedIndex | undefined> {
    return readIndex((script, values) => this.#run(script, values), variant);
  }

  writeIndex(variant: string, knownChange: number): Promise<IndexWriter | undefined> {
    return writeIndex(
      (script, values) => run(this.#options.client, script, this.#keyList, values),
      variant,
      knownChange,
    );
  }

  async #run(script: Script, values: readonly ScriptArgument[], keys = this.#keyList): Promise<unknown[]> {
    return (await runFor('callBuffer', this.#options.client, script, keys, values)) as unknown[];
  }

  /** What the script reads of a change. */
  #argumentsOf({ id, guard, put, vector, ...change }: GuardedChange): ScriptArgument[] {
    const { place, created = '', placeCreated, createdMs = '', ttlMs = '' } = change;
    const bytes = vector === undefined ? '' : this.#writeVector(vector);
    const body = put === undefined ? '' : bodyOf(put);
    return [
      ...[
        packId(id),
        guard === undefined ? '' : `${guard.change} ${guard.updatedMs}`,
        body,
        place,
        String(created),
        placeCreated,
      ],
      ...[createdMs, ttlMs, bytes],
    ];
  }

  #writeVector(vector: Float32Array): Buffer {
    return Buffer.concat([
      this.#embedder as Buffer,
      new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
    ]);
  }

  #readVector(stored: Buffer | null): Float32Array | undefined {
    const { embedder } = this.#options;
    const isOwn =
      embedder !== undefined &&
      stored?.length === EMBEDDER_BYTES + 4 * embedder.dimensions &&
      this.#embedder?.equals(stored.subarray(0, EMBEDDER_BYTES));
    return isOwn ? new Float32Array(new Uint8Array(stored.subarray(EMBEDDER_BYTES)).buffer) : undefined;
  }
}

/** Reads ids and values that scripts reply with. */
function readPairs(list: readonly unknown[]): LoggedRecord[] {
  return Array.from({ length: list.length / 2 }, (_, n) =>
    readValue(unpackId(list[2 * n] as Buffer), list[2 * n + 1] as Buffer),
  );
}
