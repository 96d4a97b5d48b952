import { createHash, randomBytes } from 'node:crypto';
import type { Embedder, Namespace } from '@keepsake/core';
import type {
  DecideChanges,
  IndexWriter,
  LogChange,
  LoggedRecord,
  LogPart,
  LogPosition,
  LogRange,
  RecordLog,
  SavedIndex,
} from '@keepsake/search';
import { requestsKey, type StoreKeys, storeKeys } from '../client/keys.ts';
import type { RedisClient, ScriptArgument } from '../client/redis-client.ts';
import { run, runForBytes, type Script } from '../client/script.ts';
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

const IDEMPOTENCY_KEY_BYTES = 12;
const EMBEDDER_BYTES = 8;
/** How many records one script reads. The server serves nobody else meanwhile. */
const STEP = 500;
/** A time that no record has: it tells what a change leaves to the clock of the server. */
const NEVER = new Date(-8.64e15);

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

  constructor(options: RedisLogOptions, namespace: Namespace) {
    const { prefix, embedder } = options;
    this.namespace = namespace;
    this.#options = options;
    this.#keys = storeKeys(prefix, namespace);
    this.#keyList = Object.values(this.#keys);
    this.#embedder = embedder && createHash('sha256').update(embedder.id).digest().subarray(0, EMBEDDER_BYTES);
  }

  async read(ids: readonly string[]): Promise<LoggedRecord[]> {
    const found: LoggedRecord[] = [];
    for (let from = 0; from < ids.length; from += STEP) {
      found.push(...readPairs(await this.#run(READ, ids.slice(from, from + STEP).map(packId))));
    }
    return found;
  }

  async change(ids: readonly string[], decide: DecideChanges): Promise<void> {
    const key = randomBytes(IDEMPOTENCY_KEY_BYTES).toString('hex');
    const requests = requestsKey(this.#keys, Math.floor(Date.now() / REQUESTS_PERIOD_MS));
    const keys = [...this.#keyList.slice(0, -1), requests];
    // Assumes that there are no such records, which the script checks, unless that leaves nothing to change.
    let known = mayBeNew(decide) ? [] : await this.read(ids);
    let gate: readonly ScriptArgument[] = ['', 0];
    for (;;) {
      const made = decide(new Map(known.map(({ record }) => [record.id, record])));
      const changes = made(NEVER);
      if (changes.length === 0) return;
      const before = new Map(known.map((one) => [one.record.id, one]));
      const values = [key, ...gate, ...changes.flatMap((change) => this.#argumentsOf(change, before))];
      const [reply, ...details] = await this.#run(CHANGE, values, keys);
      switch (String(reply)) {
        case REPLY.register:
          await this.#options.registry.register(this.namespace);
          gate = [String(details[0]), Number(details[1])];
          break;
        case REPLY.changed:
          known = details.flatMap((value, n) =>
            value === null ? [] : readValue(idOf(changes[n] as LogChange), value as Buffer),
          );
          break;
        default:
          made(new Date(Number(String(details[0]))));
          return;
      }
    }
  }

  async changes(after: LogPosition | undefined): Promise<LogPart> {
    const [log, isBeginning, isLast, change, began, ...found] = await this.#run(READ_CHANGES, [
      ...[String(after?.log ?? ''), String(after?.change ?? ''), String(after?.began ?? '')],
      ...[STEP, this.#embedder === undefined ? '' : '1'],
    ]);
    const changes = Array.from({ length: found.length / 4 }, (_, n) => {
      const [packed, number, value, vector] = found.slice(4 * n, 4 * n + 4);
      const id = unpackId(packed as Buffer);
      if (value === null) return { deleted: id, change: Number(String(number)) };
      return { ...readValue(id, value as Buffer), vector: this.#readVector(vector as Buffer | null) };
    });
    return {
      log: log === null ? undefined : String(log),
      isBeginning: isBeginning === 1,
      changes,
      change: Number(String(change)),
      began: Number(String(began)),
      isLast: isLast === 1,
    };
  }

  async list({ order, after, limit }: LogRange): Promise<LoggedRecord[]> {
    const found: LoggedRecord[] = [];
    for (let from: unknown = after ?? ''; ; ) {
      const [isEnd, reached, ...pairs] = await this.#run(LIST, [order, String(from), Math.min(limit, STEP)]);
      found.push(...readPairs(pairs));
      from = reached;
      if (found.length >= limit || isEnd === 1) return found.slice(0, limit);
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

  writeIndex(variant: string, known: number): Promise<IndexWriter | undefined> {
    return writeIndex((script, values) => run(this.#options.client, script, this.#keyList, values), variant, known);
  }

  async #run(script: Script, values: readonly ScriptArgument[], keys = this.#keyList): Promise<unknown[]> {
    return (await runForBytes(this.#options.client, script, keys, values)) as unknown[];
  }

  /** What the script reads of a change. */
  #argumentsOf(change: LogChange, known: ReadonlyMap<string, LoggedRecord>): ScriptArgument[] {
    const id = idOf(change);
    const before = known.get(id);
    const guard = before === undefined ? '' : String(before.change);
    if ('delete' in change) return [packId(id), guard, '', '', '', '', ''];
    const { put, vector } = change;
    const createdAt = Date.parse(put.createdAt);
    const ttl = put.expiresAt === undefined ? '' : Date.parse(put.expiresAt) - NEVER.getTime();
    const bytes = vector === undefined ? '' : this.#writeVector(vector);
    return [
      ...[packId(id), guard, bodyOf(put), before === undefined ? '' : String(before.created)],
      ...[createdAt === NEVER.getTime() ? '' : createdAt, ttl, bytes],
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

/** Whether a change can be decided as if there were no records. */
function mayBeNew(decide: DecideChanges): boolean {
  try {
    return decide(new Map())(NEVER).length > 0;
  } catch {
    return false;
  }
}

function idOf(change: LogChange): string {
  return 'put' in change ? change.put.id : change.delete;
}

/** Reads ids and values that scripts reply with. */
function readPairs(list: readonly unknown[]): LoggedRecord[] {
  return Array.from({ length: list.length / 2 }, (_, n) =>
    readValue(unpackId(list[2 * n] as Buffer), list[2 * n + 1] as Buffer),
  );
}
