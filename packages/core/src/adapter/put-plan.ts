import { MemoryError } from '../common/errors.ts';
import type { MemoryRecord } from '../store/record-store.ts';
import { expectVersion } from '../store/store-options.ts';
import type { IdentifiedRecord } from './record-backend.ts';
import { type StoredSource, sourceWith, validityOf } from './stored-source.ts';

/** A record that is current at some point of a batch: stored, or put earlier in the batch. */
interface Current {
  readonly validFrom: string;
  /** Puts it once more, closed. */
  close(closed: Pick<StoredSource, 'supersededBy' | 'validUntil'>): void;
}

/** The puts of a batch whose records may supersede others: each closes what it supersedes, in the same batch. */
export class PutPlan {
  readonly puts: IdentifiedRecord[] = [];
  /** The inputs that supersede a record, and whose ids must be free. */
  readonly successors: IdentifiedRecord[] = [];
  /** For each input, the index of its put. */
  readonly #places: number[] = [];
  /** By id, the index of the latest put. */
  readonly #latest = new Map<string, number>();
  readonly #read: (id: string) => Promise<MemoryRecord | undefined>;
  readonly #now: Date;

  private constructor(read: (id: string) => Promise<MemoryRecord | undefined>, now: Date) {
    this.#read = read;
    this.#now = now;
  }

  /** @throws MemoryError `CONFLICT` if a record that would be superseded is missing, closed or of another version. */
  static async of(
    records: readonly IdentifiedRecord[],
    read: (id: string) => Promise<MemoryRecord | undefined>,
    now: Date,
  ): Promise<PutPlan> {
    const plan = new PutPlan(read, now);
    for (const record of records) await plan.#add(record);
    return plan;
  }

  /** The records that the inputs became. */
  resultsOf(put: readonly MemoryRecord[]): MemoryRecord[] {
    return this.#places.map((place) => put[place] as MemoryRecord);
  }

  async #add({ supersedes, supersededBy, validFrom, validUntil, ...record }: IdentifiedRecord): Promise<void> {
    const source = sourceWith(record.source, { supersedes, supersededBy, validFrom, validUntil });
    const put = { ...record, source, index: record.index && validUntil === undefined };
    if (supersedes === undefined) return this.#put(put);
    const former = await this.#superseded(supersedes, record);
    // `ifVersion` is that of the superseded record.
    if (former === undefined) return this.#put({ ...put, ifVersion: undefined });
    const begin = validFrom ?? record.createdAt ?? validUntil ?? this.#now.toISOString();
    // The old version ends where the new one begins. A new one that begins earlier leaves no time for the old one.
    const leavesTime = begin > former.validFrom;
    const boundary = leavesTime ? begin : former.validFrom;
    former.close({ supersededBy: record.id, validUntil: boundary });
    this.successors.push({ ...record, supersedes });
    this.#put({ ...put, ifVersion: 0, source: { ...source, validFrom: validFrom ?? boundary } });
  }

  #put(record: IdentifiedRecord): void {
    const former = this.puts[this.#latest.get(record.id) ?? -1];
    if (former !== undefined && validityOf(former).validUntil !== undefined) {
      throw new MemoryError('CONFLICT', 'A batch can not put a record again that it has closed.');
    }
    this.#places.push(this.#push(record));
  }

  #push(record: IdentifiedRecord): number {
    const place = this.puts.push(record) - 1;
    this.#latest.set(record.id, place);
    return place;
  }

  /** The record to close; `undefined` if this successor has already superseded it, so that a put can be retried. */
  async #superseded(id: string, { id: by, ifVersion }: IdentifiedRecord): Promise<Current | undefined> {
    const place = this.#latest.get(id) ?? -1;
    const put = this.puts[place];
    const stored = put === undefined ? await this.#read(id) : undefined;
    if (stored !== undefined) expectVersion(ifVersion, stored.version);
    const current = put ?? stored;
    if (current === undefined) throw conflict('does not exist');
    const { validUntil, supersededBy, validFrom } = validityOf(current);
    if (supersededBy === by) return undefined;
    if (validUntil !== undefined) throw conflict('is closed already');
    const since = validFrom ?? current.createdAt ?? this.#now.toISOString();
    return {
      validFrom: since,
      close: (closed) => {
        const source = { ...current.source, ...closed };
        if (put !== undefined) this.puts[place] = { ...put, index: false, source };
        else if (stored !== undefined) this.#push(this.#copyOf(stored, source));
      },
    };
  }

  /** A put that leaves a record as it is, out of search, with another source. */
  #copyOf(record: MemoryRecord, source: StoredSource): IdentifiedRecord {
    const { id, content, metadata, createdAt, expiresAt, turn, version } = record;
    const ttlMs = expiresAt === undefined ? undefined : Math.max(1, Date.parse(expiresAt) - this.#now.getTime());
    const replacement = { id, content, metadata, createdAt, ttlMs, turn, source, index: false };
    return { ...replacement, ifVersion: version, replaces: record };
  }
}

function conflict(what: string): MemoryError {
  return new MemoryError('CONFLICT', `The record that \`supersedes\` names ${what}. Read its history and try again.`);
}
