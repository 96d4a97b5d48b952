import { isMemoryError, type JsonObject, type Namespace, type RecordInput, type RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { redactJson, redactText } from '@keepsake/privacy';
import type { BrokenInput } from './broken-input.ts';
import { checkRecord } from './check-record.ts';
import type { FoundEntry, FoundRecord } from './found-entry.ts';

/** How many records an import added and skipped. */
export interface Tally {
  added: number;
  alreadyThere: number;
  /** Those that were there and got something new. */
  extended: number;
  /** Skipped because they have no text. */
  blank: number;
  /** Skipped because they have expired. */
  expired: number;
  /** The positions of records that were skipped because their content is too large. */
  readonly tooLarge: string[];
  /** What could not be read, with its position. */
  readonly broken: string[];
}

const BATCH_RECORDS = 500;
const BATCH_CHARACTERS = 1024 * 1024;

type Store = Pick<RecordStore, 'get' | 'putMany' | 'within'>;
type Merge = NonNullable<FoundRecord['merge']>;

/** The records of a namespace that wait to be written. */
interface Batch {
  readonly store: Store;
  readonly records: Map<string, RecordInput & { readonly id: string }>;
  readonly merges: Map<string, Merge>;
}

interface Options {
  /** Replaces secrets. Ids stay, so that importing again adds nothing. */
  readonly redact: boolean;
  /** The namespace of the store, as the options of the command give it. */
  readonly namespace: Namespace;
}

/** Adds records that are not in the store yet, in batches. */
export class MemoryImporter {
  readonly tally: Tally = { added: 0, alreadyThere: 0, extended: 0, blank: 0, expired: 0, tooLarge: [], broken: [] };
  /** The number of records found so far, including skipped ones and those in the current batch. */
  count = 0;
  readonly #store: Store;
  readonly #options: Options;
  readonly #batches = new Map<string, Batch>();
  #size = 0;
  #characters = 0;

  constructor(store: Store, options: Options) {
    this.#store = store;
    this.#options = options;
  }

  /** Returns why it can't be added, if so. The caller decides whether that ends the import. */
  async add(entry: FoundEntry): Promise<BrokenInput | undefined> {
    this.count++;
    const { place } = entry;
    if (entry.skipped === 'broken') return entry.failure;
    if (entry.skipped !== undefined) {
      this.tally[entry.skipped]++;
      return undefined;
    }
    if (!('record' in entry)) return undefined;
    const failure = checkRecord(entry.record, place);
    if (isMemoryError(failure?.cause, 'TOO_LARGE')) {
      this.tally.tooLarge.push(place);
      return undefined;
    }
    if (failure !== undefined) return failure;
    const record = this.#options.redact ? redacted(entry.record) : entry.record;
    const { records, merges } = this.#batchOf(entry.namespace ?? []);
    const isRepeated = records.has(record.id);
    // What is repeated may have something new, so it is merged with what the batch before wrote.
    if (isRepeated && entry.merge !== undefined) {
      await this.flush();
      this.count--;
      return this.add(entry);
    }
    if (isRepeated) this.tally.alreadyThere++;
    else records.set(record.id, record);
    if (entry.merge !== undefined) merges.set(record.id, entry.merge);
    this.#size++;
    this.#characters += record.content.length;
    if (this.#size >= BATCH_RECORDS || this.#characters >= BATCH_CHARACTERS) await this.flush();
    return undefined;
  }

  /** Writes the current batches, then counts their records, so that counted records are always stored. */
  async flush(): Promise<void> {
    const batches = [...this.#batches.values()];
    this.#batches.clear();
    this.#size = 0;
    this.#characters = 0;
    for (const batch of batches) await this.#write(batch);
  }

  async #write({ store, records, merges }: Batch): Promise<void> {
    const missing = new Map<string, RecordInput>();
    const extended: RecordInput[] = [];
    for (const [id, record] of records) {
      const existing = await store.get(id);
      if (existing === undefined) missing.set(id, await withPredecessor(record, missing, store));
      const more = existing && merges.get(id)?.(existing);
      if (more !== undefined) extended.push(this.#options.redact ? redacted(more) : more);
    }
    const put = await store.putMany([...missing.values()]);
    await store.putMany(extended);
    // If another process added the same record in the meantime, this write has replaced it.
    const added = put.filter(({ version }) => putCount(version) === 1).length;
    this.tally.added += added;
    this.tally.extended += extended.length;
    this.tally.alreadyThere += records.size - added - extended.length;
  }

  /** A namespace of the input that the options already name is not repeated below it. */
  #batchOf(namespace: Namespace): Batch {
    const own = this.#options.namespace;
    const isNamed = namespace.every((segment, index) => segment === own[own.length - namespace.length + index]);
    const inside = isNamed ? [] : namespace;
    const key = JSON.stringify(inside);
    const batch = this.#batches.get(key) ?? {
      store: inside.length === 0 ? this.#store : this.#store.within(inside),
      records: new Map(),
      merges: new Map(),
    };
    this.#batches.set(key, batch);
    return batch;
  }
}

/** A record that supersedes only what is there to be superseded: its predecessor may have expired, or changed here. */
async function withPredecessor(
  record: RecordInput,
  missing: ReadonlyMap<string, RecordInput>,
  store: Store,
): Promise<RecordInput> {
  const { supersedes, ...alone } = record;
  if (supersedes === undefined) return record;
  const former = missing.get(supersedes) ?? (await store.get(supersedes));
  const isOpen = former !== undefined && former.validUntil === undefined;
  return isOpen || former?.supersededBy === record.id ? record : alone;
}

function redacted<R extends RecordInput>(record: R): R {
  const { content, metadata } = record;
  return {
    ...record,
    content: redactText(content),
    ...(metadata && { metadata: redactJson(metadata as JsonObject) }),
  };
}
