import { isMemoryError } from '../../common/errors.ts';
import type { Message } from '../../model/message.ts';
import { unlessConflict } from '../../session/conflict.ts';
import { type Page, type PageOptions, pageLimit } from '../../store/page.ts';
import type { MemoryRecord, RecordStore } from '../../store/record-store.ts';
import type { MessageError, PlannedChange } from './plan.ts';

/** A message that a store could not learn from, because its extractor or the store refuses it. */
export interface DeadLetter extends MessageError {
  readonly id: string;
  readonly storeName: string;
  /** The conversation. */
  readonly thread: string;
  readonly message: Message;
  /** When the message was observed: ISO 8601, UTC. */
  readonly at: string;
}

/** A dead letter, with the place of its message. */
export interface StoredLetter extends DeadLetter {
  readonly run: string;
  readonly number: number;
}

/** Characters per record: each takes up to 3 bytes, and a record has at most 1 MiB. */
const PART = 300_000;
const MAX_ERROR = 500;
/** The part of a letter that has the changes for its message, once they are known. */
const CHANGES = -1;

/** Messages that were given up, in records that survive the process. */
export class DeadLetters {
  readonly #store: RecordStore;
  readonly #owner: string;

  /** @param owner - The stores of the manager, as in the outbox. */
  constructor(store: RecordStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Writes a letter. The same message always has the same letter. */
  async write(letter: Omit<StoredLetter, 'id' | 'failedAt' | 'error'>, failure: MessageError): Promise<void> {
    const { message, ...place } = letter;
    const id = `${letter.run}/${letter.number}/${letter.storeName}`;
    const json = JSON.stringify(message);
    const parts = Math.ceil(json.length / PART);
    const fields = { owner: this.#owner, ...place, parts, ...failure };
    await this.#store.putMany(
      Array.from({ length: parts }, (_, part) => ({
        id: `${id}/${part}`,
        // Begins with a dot, because a piece of a long text may be blank, which a record can't be.
        content: `.${json.slice(part * PART, (part + 1) * PART)}`,
        metadata: { ...fields, part },
        index: false,
      })),
    );
  }

  /** What is known of a letter; `undefined` if it is gone. */
  async standing(id: string): Promise<{ readonly changes: readonly PlannedChange[] | undefined } | undefined> {
    const kept = await this.#store.get(`${id}/${CHANGES}`);
    if ((await this.#store.get(`${id}/0`)) === undefined) return undefined;
    return { changes: kept && (JSON.parse(kept.content) as PlannedChange[]) };
  }

  /**
   * Stores changes before they are applied, unless others are stored already. Returns the stored ones, or `undefined` if
   * another process has finished the message.
   */
  async keepChanges(
    { id }: StoredLetter,
    changes: readonly PlannedChange[],
  ): Promise<readonly PlannedChange[] | undefined> {
    const metadata = { owner: this.#owner, part: CHANGES };
    const record = { id: `${id}/${CHANGES}`, content: JSON.stringify(changes), metadata, index: false };
    await unlessConflict(this.#store.put(record, { ifVersion: 0 }));
    const standing = await this.standing(id);
    if (standing === undefined) await this.#store.delete(record.id);
    return standing?.changes;
  }

  /** Records that a letter has failed once more. */
  async fail(id: string, error: unknown): Promise<void> {
    const record = await this.#store.get(`${id}/0`);
    if (record === undefined) return;
    const { content, metadata, version } = record;
    const failed = { id: record.id, content, metadata: { ...metadata, ...failureOf(error) }, index: false };
    // Another process may have saved it, or has failed as well.
    await unlessConflict(this.#store.put(failed, { ifVersion: version }));
  }

  /** Removes a letter. Returns whether there was one. */
  async remove(id: string): Promise<boolean> {
    const first = await this.#store.get(`${id}/0`);
    if (first === undefined) return false;
    for (let part = Number(first.metadata.parts) - 1; part > 0; part--) await this.#store.delete(`${id}/${part}`);
    const isRemoved = await this.#store.delete(first.id);
    // Not before the letter, whose message would be learned in other words.
    await this.#store.delete(`${id}/${CHANGES}`);
    return isRemoved;
  }

  /** A page of letters, oldest first. */
  async list(options: PageOptions): Promise<Page<StoredLetter>> {
    const limit = pageLimit(options);
    const items: StoredLetter[] = [];
    let { cursor } = options;
    do {
      // Other managers have letters here, too.
      const page = await this.#store.list({ order: 'oldest', limit: limit - items.length, cursor });
      for (const record of page.items) items.push(...(await this.#read(record)));
      cursor = page.cursor;
    } while (items.length < limit && cursor !== undefined);
    return { items, ...(cursor !== undefined && { cursor }) };
  }

  /** The letters with some ids, without those that are unknown. */
  async find(ids: readonly string[]): Promise<StoredLetter[]> {
    const letters: StoredLetter[] = [];
    for (const id of new Set(ids)) {
      const record = await this.#store.get(`${id}/0`);
      if (record !== undefined) letters.push(...(await this.#read(record)));
    }
    return letters;
  }

  /**
   * The letter of its first record. An incomplete one is being written or removed. Removes changes without a letter, whose
   * process ended while it removed them.
   */
  async #read({ id: firstId, content, metadata }: MemoryRecord): Promise<StoredLetter[]> {
    const { owner, part, parts, ...fields } = metadata;
    if (owner === this.#owner && part === CHANGES) {
      const letter = firstId.slice(0, -`/${CHANGES}`.length);
      if ((await this.#store.get(`${letter}/0`)) === undefined) await this.#store.delete(firstId);
    }
    if (owner !== this.#owner || part !== 0) return [];
    const id = firstId.slice(0, -'/0'.length);
    let json = content.slice(1);
    for (let next = 1; next < Number(parts); next++) {
      const record = await this.#store.get(`${id}/${next}`);
      if (record === undefined) return [];
      json += record.content.slice(1);
    }
    return [{ ...(fields as unknown as StoredLetter), id, message: JSON.parse(json) as Message }];
  }
}

/** A letter as managers return it. */
export function publicLetter({ run, number, ...letter }: StoredLetter): DeadLetter {
  return letter;
}

export function failureOf(error: unknown): MessageError {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR).toWellFormed();
  const code = isMemoryError(error) ? { code: error.code } : {};
  return { failedAt: new Date().toISOString(), error: { ...code, message } };
}
