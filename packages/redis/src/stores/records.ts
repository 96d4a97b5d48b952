import { randomBytes } from 'node:crypto';
import type { Embedder, MemoryRecord, Namespace } from '@keepsake/core';
import {
  type IdentifiedRecord,
  type IndexedField,
  type PreparedRecord,
  revisedRecord,
  revisedSource,
  type StoredSource,
} from '@keepsake/core/adapter';
import { embed, type Language, type LatinLanguage } from '@keepsake/search';
import { remoteAnalysis } from '@keepsake/search/remote';
import { requestsKey, type StoreKeys, storeKeys } from '../client/keys.ts';
import type { RedisClient, ScriptArgument } from '../client/redis-client.ts';
import { run, runForBytes, type Script } from '../client/script.ts';
import { REQUESTS_PERIOD_MS } from '../lua/records/document-index.ts';
import { PUT } from '../lua/records/put-records.ts';
import { COUNT, EXPIRED, GET } from '../lua/records/read-records.ts';
import { REMOVE } from '../lua/records/remove-records.ts';
import { REPLY } from '../lua/records/replies.ts';
import { describeDocument } from './describe-document.ts';
import { type Decide, LargeBatch } from './large-batch.ts';
import { otherAnalysis } from './other-analysis.ts';
import { packId } from './pack-id.ts';
import type { Registry } from './registry.ts';
import { awaitStaged, putStaged, settleStaged } from './staged-batches.ts';
import {
  guardOf,
  type IndexedParts,
  type Known,
  linesOf,
  readKnown,
  readRecords,
  type StoredRecord,
} from './stored-record.ts';
import { VectorReplica, writeVector } from './vector-replica.ts';
import { SLICE_WORK, slicesOf, workOf, workToRemove } from './work.ts';

const IDEMPOTENCY_KEY_BYTES = 12;

/** How many expired records are removed at a time. */
const SWEEP_SIZE = 200;

export interface RecordsOptions {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly namespace: Namespace;
  readonly registry: Registry;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  readonly indexed: readonly IndexedField[];
}

/** What a record in a batch replaces. */
interface Former {
  /** See {@link guardOf}. */
  readonly guard: string;
  readonly version: number;
  readonly source: StoredSource | undefined;
  readonly document: readonly ScriptArgument[];
}

/** The records of one namespace. */
export class Records {
  readonly namespace: Namespace;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  readonly vectors: VectorReplica | undefined;
  /** The fields of filters that an index serves. */
  readonly indexed: readonly IndexedField[];
  /** How this store analyses texts. Scripts refuse to work if those of the namespace were analysed in another way. */
  readonly analysis: string;
  /** The languages of the records, the most frequent first, as of the last search. The server tells if there are others. */
  languages: readonly LatinLanguage[] = ['en'];
  readonly #options: RecordsOptions;
  readonly #keys: StoreKeys;
  readonly #keyList: readonly string[];

  constructor(options: RecordsOptions) {
    const { prefix, namespace, language, embedder, indexed } = options;
    this.namespace = namespace;
    this.language = language;
    this.analysis = remoteAnalysis(language);
    this.embedder = embedder;
    this.indexed = indexed;
    this.vectors = embedder && new VectorReplica(this, embedder);
    this.#options = options;
    this.#keys = storeKeys(prefix, namespace);
    this.#keyList = Object.values(this.#keys);
  }

  /** The records of another namespace. */
  at(namespace: Namespace): Records {
    return new Records({ ...this.#options, namespace });
  }

  /** Runs a script on the keys of the namespace. Its reply has buffers in place of strings. */
  async run(script: Script, values: readonly ScriptArgument[], keys = this.#keyList): Promise<unknown[]> {
    return (await runForBytes(this.#options.client, script, keys, values)) as unknown[];
  }

  /**
   * Runs a script that replies with a {@link REPLY}.
   *
   * @throws MemoryError `BACKEND` if the texts of the namespace were analysed in another way.
   */
  async runChecked(
    script: Script,
    values: readonly ScriptArgument[],
    keys = this.#keyList,
  ): Promise<readonly [code: string, ...details: unknown[]]> {
    const [reply, ...details] = await this.run(script, values, keys);
    const code = String(reply);
    if (code === REPLY.otherAnalysis) throw otherAnalysis(String(details[0]), this.analysis);
    return [code, ...details];
  }

  async get(id: string): Promise<Known> {
    const [found] = readRecords(await this.run(GET, [packId(id)]));
    return found;
  }

  async count(): Promise<number> {
    return Number(await run(this.#options.client, COUNT, this.#keyList));
  }

  /**
   * Puts records in their order, all or none. `check` gets the records that are known under these ids. It may throw, or return
   * records to keep instead of putting anything. `assumed` is what the caller expects under the ids: by default nothing.
   */
  async put(
    inputs: readonly IdentifiedRecord[],
    check: Decide = () => undefined,
    assumed: readonly Known[] = inputs.map(() => undefined),
    signal?: AbortSignal,
  ): Promise<readonly MemoryRecord[]> {
    if (inputs.length === 0) return [];
    const keptAtOnce = check(assumed);
    if (keptAtOnce !== undefined) return keptAtOnce;
    const vectors = await this.#embed(inputs, signal);
    const parts = inputs.map((input, n) => ({
      document: describeDocument(input, this.language),
      vector: vectors[n] ?? '',
    }));
    const idempotencyKey = randomBytes(IDEMPOTENCY_KEY_BYTES);
    const keys = this.keysOfChange();
    let known = assumed;
    let swept = '';
    let gate: readonly ScriptArgument[] = ['', 0];
    for (;;) {
      const kept = check(known);
      if (kept !== undefined) return kept;
      if (isLarge(inputs, parts, known)) {
        const batch = new LargeBatch(inputs, parts, known, check);
        const put = await putStaged(this, batch, signal);
        return 'kept' in put ? put.kept : toRecords(inputs, batch.known, put.putAt);
      }
      const values = [idempotencyKey, swept, ...gate, this.analysis, ...this.#writeInputs(inputs, parts, known)];
      const [reply, ...details] = await this.runChecked(PUT, values, keys);
      switch (reply) {
        case REPLY.register:
          gate = await this.register(details);
          break;
        case REPLY.busy:
        case REPLY.abandoned:
          await awaitStaged(this, reply);
          break;
        case REPLY.expired:
          await this.sweep();
          swept = 'swept';
          break;
        case REPLY.changed:
          known = inputs.map((_, n) => readKnown(details[2 * n], details[2 * n + 1]));
          break;
        default:
          return toRecords(inputs, known, Number(String(details[0])));
      }
    }
  }

  /** Registers the namespace, as a script asked. Returns what the script gets in the next attempt. */
  async register([gate, time]: readonly unknown[]): Promise<readonly ScriptArgument[]> {
    await this.#options.registry.register(this.namespace);
    return [String(gate), Number(time)];
  }

  /** Removes a record, unless `check` throws. Returns whether there was one. */
  async delete(id: string, check: (known: StoredRecord) => void): Promise<boolean> {
    for (;;) {
      const known = await this.get(id);
      if (known === undefined) return false;
      check(known);
      if ((await this.#remove([known])) === 1) return true;
    }
  }

  /** Removes all records. Returns how many there were. */
  clear(): Promise<number> {
    return this.#options.registry.empty(this.namespace, this.#keys);
  }

  /** Removes the namespace from the registry, unless it holds a record. */
  async forgetIfEmpty(): Promise<void> {
    await this.#options.registry.empty(this.namespace, this.#keys, true);
  }

  /** Removes expired records. Finishes or removes a large batch whose process has stopped. */
  async compact(): Promise<void> {
    await this.sweep();
    await settleStaged(this);
  }

  /** Removes expired records. */
  async sweep(): Promise<void> {
    for (;;) {
      const expired = readRecords(await this.run(EXPIRED, [SWEEP_SIZE]));
      for (const slice of slicesOf(expired, workToRemove)) await this.#remove(slice);
      if (expired.length < SWEEP_SIZE) return;
    }
  }

  async #remove(records: readonly StoredRecord[]): Promise<number> {
    const values = records.flatMap((known) => [
      packId(known.record.id),
      guardOf(known),
      ...describeStored(known, this.language),
    ]);
    const change = [randomBytes(IDEMPOTENCY_KEY_BYTES), this.analysis, ...values];
    const keys = this.keysOfChange();
    for (;;) {
      const [reply, removed] = await this.runChecked(REMOVE, change, keys);
      if (reply === REPLY.done) return Number(removed);
      await awaitStaged(this, reply);
    }
  }

  /** The keys for a change, with the one for its idempotency key: ioredis sends unanswered commands again. */
  keysOfChange(): readonly string[] {
    const requests = requestsKey(this.#keys, Math.floor(Date.now() / REQUESTS_PERIOD_MS));
    return Object.values({ ...this.#keys, requests });
  }

  /** The vector of each record as it is stored, or '' if it gets none. */
  async #embed(inputs: readonly PreparedRecord[], signal: AbortSignal | undefined): Promise<(Buffer | '')[]> {
    const { embedder } = this;
    const indexed = inputs.filter(({ index }) => index);
    if (embedder === undefined || indexed.length === 0) return inputs.map(() => '');
    const texts = indexed.map(({ content }) => content);
    const found = (await embed(embedder, texts, signal)).map((vector) => writeVector(embedder, vector));
    return inputs.map(({ index }) => (index ? (found.shift() as Buffer) : ''));
  }

  #writeInputs(
    inputs: readonly IdentifiedRecord[],
    parts: readonly IndexedParts[],
    known: readonly Known[],
  ): ScriptArgument[] {
    const before = new Map<string, Former>();
    const values: ScriptArgument[] = [];
    for (const [n, input] of inputs.entries()) {
      const { id, createdAt, ttlMs } = input;
      const stored = known[n];
      const former =
        before.get(id) ??
        (stored && {
          guard: guardOf(stored),
          version: stored.record.version,
          source: stored.record.source,
          document: describeStored(stored, this.language),
        });
      const { document, vector } = parts[n] as IndexedParts;
      values.push(packId(id), former?.guard ?? '', createdAt === undefined ? '' : Date.parse(createdAt), ttlMs ?? '');
      const source = revisedSource(input.source, former?.source);
      values.push(linesOf({ ...input, source }), vector);
      values.push(...document, ...(former?.document ?? []));
      const version = (former?.version ?? 0) + 1;
      const guard = stored === undefined ? `${version} again` : `${version} ${stored.document}`;
      before.set(id, { guard, version, source, document });
    }
    return values;
  }
}

/** Whether one script with all records would keep the server from serving others. */
function isLarge(
  inputs: readonly IdentifiedRecord[],
  parts: readonly IndexedParts[],
  known: readonly Known[],
): boolean {
  const work = inputs.map(({ content }, n) => {
    const { document, vector } = parts[n] as IndexedParts;
    return workOf(document, vector.length + 2 * content.length) + workToRemove(known[n]);
  });
  return inputs.length > 1 && work.reduce((sum, one) => sum + one, 0) > SLICE_WORK;
}

function describeStored({ record }: StoredRecord, language: Language | undefined): ScriptArgument[] {
  return describeDocument(record, language);
}

/** The records that a put made, one after the other, at a time in milliseconds since 1970. */
function toRecords(inputs: readonly IdentifiedRecord[], known: readonly Known[], now: number): MemoryRecord[] {
  const latest = new Map<string, MemoryRecord>();
  return inputs.map((input, n) => {
    const record = revisedRecord(input, latest.get(input.id) ?? known[n]?.record, new Date(now));
    latest.set(input.id, record);
    return record;
  });
}
