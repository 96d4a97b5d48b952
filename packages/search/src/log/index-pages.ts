import { missing, type StoredBytes } from '../snapshot/stored-bytes.ts';
import type { SavedIndex } from './record-log.ts';

/** The size of each page but the last: with what a backend adds to it, less than 32 KiB, so that Redis does not reserve 40. */
export const PAGE_BYTES = 32 * 1024 - 64;
/** How many pages are loaded at once. */
const PAGES_AT_ONCE = 64;
/** After this many loads for one step, pages beside those that it asks for are loaded, too: it reads more than it can tell. */
const FEW_LOADS = 4;

/** The bytes of a saved index, of which only the pages that are needed are loaded, and those that were used last are kept. */
export class IndexPages implements StoredBytes {
  readonly length: number;
  readonly #saved: SavedIndex;
  /** At most this many pages are kept between two steps. */
  readonly #most: number;
  /** The one that was used last is at the end. */
  readonly #pages: Map<number, Uint8Array>;
  readonly #wanted = new Set<number>();
  /** Whether all pages are kept. */
  #isKept = false;
  /** How many times pages were loaded since the last {@link trim}. */
  #loads = 0;
  /** The page that was used last. */
  #last = -1;
  #lastBytes: Uint8Array = new Uint8Array(0);

  private constructor(saved: SavedIndex, lastLength: number, mostBytes: number) {
    this.#saved = saved;
    this.#most = Math.max(1, Math.floor(mostBytes / PAGE_BYTES));
    this.#pages = new Map(saved.pages);
    this.length = (saved.count - 1) * PAGE_BYTES + lastLength;
  }

  /**
   * Returns `undefined` if the pages do not fit together.
   *
   * @param mostBytes - How many bytes are kept between two steps.
   */
  static open(saved: SavedIndex, mostBytes: number): IndexPages | undefined {
    const last = saved.pages.get(saved.count - 1);
    if (last === undefined) return undefined;
    const pages = new IndexPages(saved, last.length, mostBytes);
    return pages.#areWhole(saved.pages) ? pages : undefined;
  }

  get id(): SavedIndex['id'] {
    return this.#saved.id;
  }

  /** Whether not all pages are kept between two steps. */
  get isLarge(): boolean {
    return this.#saved.count > this.#most;
  }

  /** How many bytes are in memory. */
  get bytes(): number {
    return this.#pages.size * PAGE_BYTES;
  }

  /** Whether pages were asked for that must be loaded. */
  get isAsked(): boolean {
    return this.#wanted.size > 0;
  }

  read(target: Uint8Array, offset: number): void {
    const first = Math.floor(offset / PAGE_BYTES);
    const last = Math.floor((offset + target.length - 1) / PAGE_BYTES);
    for (let page = first; page <= last; page++) {
      const bytes = this.#page(page);
      if (bytes === undefined) {
        this.want(offset, target.length);
        missing();
      }
      const start = page * PAGE_BYTES;
      const from = Math.max(offset, start);
      target.set(bytes.subarray(from - start, offset + target.length - start), from - offset);
    }
  }

  want(offset: number, length: number): void {
    for (let page = Math.floor(offset / PAGE_BYTES); page * PAGE_BYTES < offset + length; page++) {
      if (!this.#pages.has(page)) this.#wanted.add(page);
    }
  }

  keep(): boolean {
    if (this.#isKept) return true;
    this.want(0, this.length);
    this.#isKept = !this.isAsked;
    return this.#isKept;
  }

  /** Loads the pages that were asked for. Returns false if one is damaged or gone. */
  async load(): Promise<boolean> {
    if (++this.#loads > FEW_LOADS) this.#wantMore(2 ** (this.#loads - FEW_LOADS));
    const wanted = [...this.#wanted].sort((a, b) => a - b);
    for (let from = 0; from < wanted.length; from += PAGES_AT_ONCE) {
      const some = wanted.slice(from, from + PAGES_AT_ONCE);
      const pages = await this.#saved.read(some);
      if (!some.every((page) => pages.has(page)) || !this.#areWhole(pages)) return false;
      for (const page of some) {
        this.#pages.set(page, pages.get(page) as Uint8Array);
        this.#wanted.delete(page);
      }
    }
    return true;
  }

  #wantMore(count: number): void {
    for (const page of [...this.#wanted])
      this.want(page * PAGE_BYTES, Math.min(count * PAGE_BYTES, this.length - page * PAGE_BYTES));
  }

  /** Lets go of those that were used least recently. */
  trim(): void {
    this.#loads = 0;
    if (this.#isKept || this.#pages.size <= this.#most) return;
    this.#last = -1;
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= this.#most) return;
      this.#pages.delete(page);
    }
  }

  #areWhole(pages: ReadonlyMap<number, Uint8Array>): boolean {
    return [...pages].every(
      ([page, { length }]) =>
        length === (page < this.#saved.count - 1 ? PAGE_BYTES : this.length % PAGE_BYTES || PAGE_BYTES),
    );
  }

  #page(page: number): Uint8Array | undefined {
    // Nearly always the case in a loop.
    if (page === this.#last) return this.#lastBytes;
    const bytes = this.#pages.get(page);
    if (bytes === undefined) return undefined;
    this.#pages.delete(page);
    this.#pages.set(page, bytes);
    this.#last = page;
    this.#lastBytes = bytes;
    return bytes;
  }
}
