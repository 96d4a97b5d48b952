import { randomBytes } from 'node:crypto';
import { type Embedder, type MemoryRecord, type Namespace, type PreparedRecord, uuidv7 } from '@keepsake/core';
import { embed, hostedAnalysis, type Language, type LatinLanguage } from '@keepsake/search';
import { describeDocument } from './describe-document.ts';
import { MARKS_PERIOD_MS } from './index-lua.ts';
import { marksKey, storeKeys } from './keys.ts';
import { otherAnalysis } from './other-analysis.ts';
import { packId } from './pack-id.ts';
import type { RedisClient, ScriptArgument } from './redis-client.ts';
import type { Registry } from './registry.ts';
import { run, runForBytes, type Script } from './script.ts';
import { COUNT, DUE, GET, PUT, REMOVE } from './store-scripts.ts';
import { linesOf, readRecord, readRecords, type StoredRecord } from './stored-record.ts';
import { VectorReplica, writeVector } from './vector-replica.ts';

/** The bytes of a mark. */
const MARK = 12;

/** How many expired records are removed at a time. */
const SWEEP = 200;

export interface RecordsOptions {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly namespace: Namespace;
  readonly registry: Registry;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
}

type Known = StoredRecord | undefined;

/** What a script is told of a record beside itself. */
interface Described {
  readonly document: readonly ScriptArgument[];
  readonly vector: Buffer | '';
}

/** The records of one namespace. */
export class Records {
  readonly namespace: Namespace;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  readonly vectors: VectorReplica | undefined;
  /** By what texts are analysed: scripts refuse where those of the namespace were analysed by something else. */
  readonly analysis: string;
  /** The languages of the records, the most frequent first, as far as is known: the server says where they are others. */
  held: readonly LatinLanguage[] = ['en'];
  readonly #options: RecordsOptions;
  readonly #keys: ReturnType<typeof storeKeys>;
  readonly #keyList: readonly string[];

  constructor(options: RecordsOptions) {
    const { prefix, namespace, language, embedder } = options;
    this.namespace = namespace;
    this.language = language;
    this.analysis = hostedAnalysis(language);
    this.embedder = embedder;
    this.vectors = embedder && new VectorReplica(this, embedder);
    this.#options = options;
    this.#keys = storeKeys(prefix, namespace);
    this.#keyList = Object.values(this.#keys);
  }

  /** The records of another namespace. */
  at(namespace: Namespace): Records {
    return new Records({ ...this.#options, namespace });
  }

  /** Runs a script on the keys of the namespace. Texts come as bytes. */
  async run(script: Script, values: readonly ScriptArgument[], keys = this.#keyList): Promise<unknown[]> {
    return (await runForBytes(this.#options.client, script, keys, values)) as unknown[];
  }

  async get(id: string): Promise<Known> {
    const [found] = readRecords(await this.run(GET, [packId(id)]));
    return found;
  }

  async count(): Promise<number> {
    return Number(await run(this.#options.client, COUNT, this.#keyList));
  }

  /**
   * Puts records in their order, all or none. `check` sees what is there under their ids, as far as is known: it may throw,
   * or give what makes the put needless. `assumed` is what the caller believes to be there: by default nothing.
   */
  async put(
    inputs: readonly PreparedRecord[],
    check: (known: readonly Known[]) => readonly MemoryRecord[] | undefined = () => undefined,
    assumed: readonly Known[] = inputs.map(() => undefined),
    signal?: AbortSignal,
  ): Promise<readonly MemoryRecord[]> {
    if (inputs.length === 0) return [];
    const done = check(assumed);
    if (done !== undefined) return done;
    const named = inputs.map((input) => ({ ...input, id: input.id ?? uuidv7() }));
    const vectors = await this.#embed(named, signal);
    const described = named.map((input, place) => ({
      document: describeDocument(input, this.language),
      vector: vectors[place] ?? '',
    }));
    const mark = randomBytes(MARK);
    const keys = this.#markedKeys();
    let known = assumed;
    let swept = '';
    let gate: readonly ScriptArgument[] = ['', 0];
    for (;;) {
      const needless = check(known);
      if (needless !== undefined) return needless;
      const values = [mark, swept, ...gate, this.analysis, ...this.#writeInputs(named, described, known)];
      const [answer, ...details] = await this.run(PUT, values, keys);
      switch (String(answer)) {
        case 'ANALYSIS':
          throw otherAnalysis(String(details[0]), this.analysis);
        case 'REGISTER':
          await this.#options.registry.register(this.namespace);
          gate = [String(details[0]), Number(details[1])];
          break;
        case 'DUE':
          await this.sweep();
          swept = 'swept';
          break;
        case 'CHANGED':
          known = named.map((_, place) => readKnown(details[2 * place], details[2 * place + 1]));
          break;
        default:
          return toRecords(named, known, Number(String(details[0])));
      }
    }
  }

  /** Removes a record that passes `check`, which may throw; false where there is none. */
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

  /** Lets the registry forget the namespace, unless it holds a record. */
  async forgetIfEmpty(): Promise<void> {
    await this.#options.registry.empty(this.namespace, this.#keys, true);
  }

  /** Removes the records whose time is over. */
  async sweep(): Promise<void> {
    for (;;) {
      const due = readRecords(await this.run(DUE, [SWEEP]));
      if (due.length > 0) await this.#remove(due);
      if (due.length < SWEEP) return;
    }
  }

  async #remove(records: readonly StoredRecord[]): Promise<number> {
    const values = records.flatMap((known) => [
      packId(known.record.id),
      guardOf(known),
      ...describeStored(known, this.language),
    ]);
    const reply = await this.run(REMOVE, [randomBytes(MARK), this.analysis, ...values], this.#markedKeys());
    const [gone, analysis] = reply;
    if (analysis !== undefined) throw otherAnalysis(String(analysis), this.analysis);
    return Number(gone);
  }

  /** The keys for a change, which is to have a mark: ioredis sends again what was not answered when a link broke. */
  #markedKeys(): readonly string[] {
    return Object.values({ ...this.#keys, marks: marksKey(this.#keys, Math.floor(Date.now() / MARKS_PERIOD_MS)) });
  }

  /** Of each record its vector as it is stored, or '' where it is to have none. */
  async #embed(inputs: readonly PreparedRecord[], signal: AbortSignal | undefined): Promise<(Buffer | '')[]> {
    const { embedder } = this;
    const indexed = inputs.filter(({ index }) => index);
    if (embedder === undefined || indexed.length === 0) return inputs.map(() => '');
    const texts = indexed.map(({ content }) => content);
    const found = (await embed(embedder, texts, signal)).map((vector) => writeVector(embedder, vector));
    return inputs.map(({ index }) => (index ? (found.shift() as Buffer) : ''));
  }

  #writeInputs(
    named: readonly (PreparedRecord & { readonly id: string })[],
    described: readonly Described[],
    known: readonly Known[],
  ): ScriptArgument[] {
    const before = new Map<
      string,
      { readonly guard: string; readonly version: number; readonly document: readonly ScriptArgument[] }
    >();
    const values: ScriptArgument[] = [];
    for (const [place, input] of named.entries()) {
      const { id, createdAt, ttlMs } = input;
      const there = known[place];
      const former =
        before.get(id) ??
        (there && {
          guard: guardOf(there),
          version: there.record.version,
          document: describeStored(there, this.language),
        });
      const { document, vector } = described[place] as Described;
      values.push(packId(id), former?.guard ?? '', createdAt === undefined ? '' : Date.parse(createdAt), ttlMs ?? '');
      values.push(linesOf(input), vector);
      values.push(...document, ...(former?.document ?? []));
      const version = (former?.version ?? 0) + 1;
      const guard = there === undefined ? `${version} again` : `${version} ${there.document}`;
      before.set(id, { guard, version, document });
    }
    return values;
  }
}

/** What tells a record from any other, before or after, of its id. */
function guardOf({ record, document }: StoredRecord): string {
  return `${record.version} ${document}`;
}

function describeStored({ record, index }: StoredRecord, language: Language | undefined): ScriptArgument[] {
  return describeDocument({ content: record.content, index, turn: record.turn }, language);
}

function readKnown(document: unknown, stored: unknown): Known {
  return stored === null ? undefined : readRecord(document as number, stored as Buffer);
}

/** Records as they were put, one after the other, at a time in milliseconds since 1970. */
function toRecords(
  named: readonly (PreparedRecord & { readonly id: string })[],
  known: readonly Known[],
  now: number,
): MemoryRecord[] {
  const latest = new Map<string, MemoryRecord>();
  return named.map(({ id, content, metadata, createdAt, ttlMs, turn }, place) => {
    const former = latest.get(id) ?? known[place]?.record;
    const time = new Date(now).toISOString();
    const record: MemoryRecord = {
      id,
      content,
      metadata,
      version: (former?.version ?? 0) + 1,
      createdAt: former?.createdAt ?? createdAt ?? time,
      updatedAt: time,
      ...(ttlMs === undefined ? {} : { expiresAt: new Date(now + ttlMs).toISOString() }),
      ...(turn === undefined ? {} : { turn }),
    };
    latest.set(id, record);
    return record;
  });
}
