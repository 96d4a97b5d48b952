import { closeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { StoredBytes } from '@keepsake/search';
import { closeInBackground, readBytes, writeAll } from '../disk/disk.ts';
import { Spoilt } from './spoilt.ts';

/*
 * The bytes of an index, in pages with a checksum each, so that a part of them can be read and checked. After the pages come
 * their checksums, and then a footer of three 32-bit numbers: the checksum of the checksums, and the length of the bytes.
 */

const PAGE_BYTES = 16 * 1024;
/** How many bytes are written at once. */
const CHUNK_BYTES = 16 * PAGE_BYTES;
/** The pages that were read last are kept: at most this many, 4 MiB. */
const MOST_PAGES = 256;
/** Ranges of more pages are read at once, and not kept. */
const FEW_PAGES = 4;
/** An index of at most this size is read whole and its file closed, because a process can have many indexes but few open files. */
const WHOLE_BYTES = 1024 * 1024;
const NUMBER_BYTES = 4;
const FOOTER_BYTES = 3 * NUMBER_BYTES;

/** Writes pages at the end of a file. */
export class PageWriter {
  readonly #file: number;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #filled = 0;
  #length = 0;
  readonly #checksums: number[] = [];

  constructor(file: number) {
    this.#file = file;
  }

  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + CHUNK_BYTES - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled === CHUNK_BYTES) this.#flush();
    }
  }

  finish(): void {
    this.#flush();
    const checksums = bytesOf(Uint32Array.from(this.#checksums));
    writeAll(this.#file, checksums);
    const { length } = this;
    writeAll(this.#file, bytesOf(Uint32Array.of(crc32(checksums), length % 2 ** 32, Math.floor(length / 2 ** 32))));
  }

  get length(): number {
    return this.#length + this.#filled;
  }

  #flush(): void {
    const bytes = this.#chunk.subarray(0, this.#filled);
    for (let from = 0; from < bytes.length; from += PAGE_BYTES) {
      this.#checksums.push(crc32(bytes.subarray(from, from + PAGE_BYTES)));
    }
    writeAll(this.#file, bytes);
    this.#length += this.#filled;
    this.#filled = 0;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Closes the files of indexes that nobody closed. */
const abandoned = new FinalizationRegistry(closeInBackground);

/** Reads the output of a {@link PageWriter}. A range that is damaged, or read after the file was closed, is {@link Spoilt}. */
export class IndexPages implements StoredBytes {
  readonly length: number;
  readonly #file: number;
  readonly #from: number;
  readonly #checksums: Uint32Array;
  /** The one that was used last is at the end. */
  readonly #pages = new Map<number, Uint8Array>();
  /** The page that was used last. */
  #last = -1;
  #lastBytes: Uint8Array = new Uint8Array(0);
  /** All bytes, if they are few. */
  #whole: Uint8Array | undefined;
  #isClosed = false;

  private constructor(file: number, from: number, length: number, checksums: Uint32Array) {
    this.#file = file;
    this.#from = from;
    this.length = length;
    this.#checksums = checksums;
  }

  /**
   * Opens the pages from an offset to the end of a file, and from then on owns the file. Returns `undefined` if they are not
   * whole, or throws an error: then the caller still owns the file.
   */
  static open(file: number, from: number, end: number): IndexPages | undefined {
    const footer = end - FOOTER_BYTES;
    const [checksum, low = 0, high = 0] = numbersAt(file, footer, 3);
    const length = high * 2 ** 32 + low;
    const count = Math.ceil(length / PAGE_BYTES);
    if (from + length + count * NUMBER_BYTES !== footer) return undefined;
    const checksums = numbersAt(file, from + length, count);
    if (crc32(bytesOf(checksums)) !== checksum) return undefined;
    const pages = new IndexPages(file, from, length, checksums);
    if (length <= WHOLE_BYTES) {
      pages.#whole = pages.#readPages(0, count);
      closeSync(file);
    } else {
      abandoned.register(pages, file, pages);
    }
    return pages;
  }

  read(target: Uint8Array, offset: number): void {
    if (this.#whole !== undefined) {
      target.set(this.#whole.subarray(offset, offset + target.length));
      return;
    }
    const first = Math.floor(offset / PAGE_BYTES);
    const last = Math.floor((offset + target.length - 1) / PAGE_BYTES);
    const isKept = last - first < FEW_PAGES;
    const step = isKept ? 1 : CHUNK_BYTES / PAGE_BYTES;
    for (let page = first; page <= last; page += step) {
      const bytes = isKept ? this.#page(page) : this.#readPages(page, Math.min(step, last - page + 1));
      const start = page * PAGE_BYTES;
      const from = Math.max(offset, start);
      target.set(bytes.subarray(from - start, offset + target.length - start), from - offset);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#last = -1;
    this.#pages.clear();
    if (this.#whole === undefined) {
      abandoned.unregister(this);
      closeInBackground(this.#file);
    }
    this.#whole = undefined;
  }

  #page(page: number): Uint8Array {
    // Nearly always the case in a loop.
    if (page === this.#last) return this.#lastBytes;
    const bytes = this.#pages.get(page) ?? this.#readPages(page, 1);
    this.#pages.delete(page);
    this.#pages.set(page, bytes);
    if (this.#pages.size > MOST_PAGES) this.#pages.delete(this.#pages.keys().next().value as number);
    this.#last = page;
    this.#lastBytes = bytes;
    return bytes;
  }

  #readPages(page: number, count: number): Uint8Array {
    if (this.#isClosed) throw new Spoilt();
    const start = page * PAGE_BYTES;
    const bytes = readBytes(this.#file, this.#from + start, Math.min(count * PAGE_BYTES, this.length - start));
    for (let n = 0; n < count; n++) {
      const one = bytes.subarray(n * PAGE_BYTES, (n + 1) * PAGE_BYTES);
      if (crc32(one) !== this.#checksums[page + n]) throw new Spoilt();
    }
    return bytes;
  }
}

/** 32-bit numbers in a file; fewer if it ends before them. */
function numbersAt(file: number, offset: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  if (offset >= 0) bytesOf(numbers).set(readBytes(file, offset, numbers.byteLength));
  return numbers;
}
