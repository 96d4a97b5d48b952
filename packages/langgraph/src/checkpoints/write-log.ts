import { isMemoryError } from '@keepsake/core';
import { expectIntact, hasTexts } from './damage.ts';
import type { LargeText } from './large-texts.ts';
import type { StoredData } from './stored-data.ts';
import { type ThreadRecords, type VersionedDocument, writesId } from './thread-records.ts';

/** A write of a task. */
export interface StoredWrite {
  readonly task: string;
  readonly path: string;
  readonly idx: number;
  readonly channel: string;
  readonly value: { readonly data: StoredData } | { readonly large: LargeText };
}

/** From this length on, a page takes no more writes, so that appending never rewrites more than this. */
const FULL_LENGTH = 64 * 1024;

interface Page {
  readonly number: number;
  readonly writes: readonly StoredWrite[];
  /** 0 = it does not exist. */
  readonly version: number;
  readonly isFull: boolean;
}

const FIRST: Page = { number: 0, writes: [], version: 0, isFull: false };

interface Append {
  readonly writes: readonly StoredWrite[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The pending writes of one checkpoint: pages that grow by compare-and-set, so that the writes of a task are stored together
 * or not at all. Appends that come while one is being stored share the next one.
 */
export class WriteLog {
  readonly #records: ThreadRecords;
  readonly #ns: string;
  readonly #id: string;
  /** The page to append to, as this process saw it last. */
  #page = FIRST;
  #waiting: Append[] = [];
  #isStoring = false;

  constructor(records: ThreadRecords, ns: string, id: string) {
    this.#records = records;
    this.#ns = ns;
    this.#id = id;
  }

  append(writes: readonly StoredWrite[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ writes, resolve, reject });
    if (!this.#isStoring) void this.#storeWaiting();
    return promise;
  }

  /** All writes: of each task and index the first one, or the last one of indexes below 0 (errors, interrupts, resumes). */
  async read(): Promise<StoredWrite[]> {
    const writes = new Map<string, StoredWrite>();
    for (let page = await this.#load(0); page.version > 0; page = await this.#load(page.number + 1)) {
      for (const write of page.writes) {
        const key = JSON.stringify([write.task, write.idx]);
        if (write.idx < 0 || !writes.has(key)) writes.set(key, write);
      }
      if (!page.isFull) break;
    }
    return [...writes.values()];
  }

  async #storeWaiting(): Promise<void> {
    this.#isStoring = true;
    while (this.#waiting.length > 0) {
      const appends = this.#waiting;
      this.#waiting = [];
      try {
        await this.#store(appends.flatMap(({ writes }) => writes));
        for (const { resolve } of appends) resolve();
      } catch (error) {
        for (const { reject } of appends) reject(error);
      }
    }
    this.#isStoring = false;
  }

  async #store(writes: readonly StoredWrite[]): Promise<void> {
    for (;;) {
      const page = this.#page.isFull ? { ...FIRST, number: this.#page.number + 1 } : this.#page;
      const all = [...page.writes, ...writes];
      const id = await writesId(this.#ns, this.#id, page.number);
      try {
        this.#page = toPage(page.number, await this.#records.putDocument(id, all, page.version));
        return;
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
        // Another process appended to it, or deleted the thread.
        this.#page = await this.#load(page.number);
        if (this.#page.version === 0) this.#page = FIRST;
      }
    }
  }

  async #load(number: number): Promise<Page> {
    const document = await this.#records.document(await writesId(this.#ns, this.#id, number));
    return document === undefined ? { ...FIRST, number } : toPage(number, document);
  }
}

function toPage(number: number, { document, version, length }: VersionedDocument): Page {
  const isWrite = (write: unknown) => hasTexts(write, 'task', 'path', 'channel') && Number.isSafeInteger(write.idx);
  expectIntact(Array.isArray(document) && document.every(isWrite));
  return { number, writes: document as StoredWrite[], version, isFull: length >= FULL_LENGTH };
}
