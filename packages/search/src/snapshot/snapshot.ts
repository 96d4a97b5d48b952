import type { Steps } from '@keepsake/internal';
import { bytesAt, bytesOf, part, type StoredBytes, StoredNumbers } from './stored-bytes.ts';

/*
 * The layout of a snapshot: a 32-bit mark, the sections, a JSON directory with their names and lengths, and the length of the
 * directory as a 32-bit number. The directory is at the end, so that large sections are written as they are made.
 * Numbers have the byte order of the machine; a machine with another byte order reads a wrong mark and refuses it.
 */

/** Raised with every change of the contents of snapshots. */
const FORMAT = 6;
/** "KEEP" where the byte order is little-endian. */
const MARK = 0x5045454b;
const NUMBER_BYTES = 4;

interface Directory {
  readonly format: number;
  /** The kind of the snapshot. */
  readonly of: string;
  /** Names and lengths. */
  readonly sections: readonly (readonly [string, number])[];
}

/** Bytes that are made in steps: yields the next piece, or `undefined` where a step ends without one. */
export type Pieces<T = void> = Generator<Uint8Array | undefined, T>;

/** Makes one or several sections: yields a name before the pieces of each. */
export type Sections<T = void> = Generator<string | Uint8Array | undefined, T>;

/** Writes a snapshot. `of` identifies its format exactly: the same text means that the same code can read it. */
export function* writeSnapshot(of: string, sections: Sections): Pieces {
  yield bytesOf(Uint32Array.of(MARK));
  const written: [string, number][] = [];
  for (const next of sections) {
    if (typeof next === 'string') {
      written.push([next, 0]);
      continue;
    }
    const section = written.at(-1);
    if (next !== undefined && section !== undefined) section[1] += next.length;
    yield next;
  }
  const directory = encode(JSON.stringify({ format: FORMAT, of, sections: written } satisfies Directory));
  yield directory;
  yield bytesOf(Uint32Array.of(directory.length));
}

/** One section of a snapshot. */
export function* section(name: string, ...pieces: readonly (Uint8Array | Pieces)[]): Sections {
  yield name;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else yield* piece;
  }
}

/** All pieces as one. */
export function joined(pieces: Iterable<Uint8Array | undefined>): Uint8Array {
  const all = [...pieces].filter((piece) => piece !== undefined);
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of all) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

/** Returns a section. Refuses a missing one. */
export type SectionReader<Name extends string = string> = (name: Name) => StoredBytes;

/**
 * Reads a snapshot of this format and refuses any other. Asks for all sections that are read when it is opened, so that they are
 * loaded at once: those that are not `isLater`.
 */
export function readSnapshot(of: string, stored: StoredBytes, isLater = (_name: string) => false): SectionReader {
  const end = stored.length - NUMBER_BYTES;
  if (end < NUMBER_BYTES) unusable();
  const [mark] = new StoredNumbers(stored, new Uint32Array(1)).at(0);
  const [length = 0] = new StoredNumbers(part(stored, end, NUMBER_BYTES), new Uint32Array(1)).at(0);
  if (mark !== MARK || length > end - NUMBER_BYTES) unusable();
  const directory = parse(bytesAt(stored, end - length, length)) as Partial<Directory> | null;
  if (directory?.format !== FORMAT || directory.of !== of || !Array.isArray(directory.sections)) unusable();
  const sections = new Map<unknown, StoredBytes>();
  let from = NUMBER_BYTES;
  for (const section of directory.sections) {
    const [name, length] = Array.isArray(section) ? section : unusable();
    if (!(Number.isSafeInteger(length) && length >= 0)) unusable();
    sections.set(name, part(stored, from, length));
    if (!isLater(name)) stored.want?.(from, length);
    from += length;
  }
  // The snapshot is complete, and all lengths are valid.
  if (from !== end - length) unusable();
  return (name) => sections.get(name) ?? unusable();
}

/** How many items of a list are one JSON text, and so read at once. */
const CHUNK_ITEMS = 4_096;
const LINE_FEED = 0x0a;

/** Writes a list as lines of JSON. */
export function encodeList(items: readonly (string | number)[]): Uint8Array {
  const lines: string[] = [];
  for (let from = 0; from < items.length; from += CHUNK_ITEMS) {
    lines.push(`${JSON.stringify(items.slice(from, from + CHUNK_ITEMS))}\n`);
  }
  return encode(lines.join(''));
}

/** Reads a list of texts and numbers. */
export function* decodeList(stored: StoredBytes): Steps<readonly (string | number)[]> {
  const bytes = bytesAt(stored);
  const items: (string | number)[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from) + 1 || unusable();
    const chunk = parse(bytes.subarray(from, end));
    if (!Array.isArray(chunk)) unusable();
    for (const item of chunk) {
      if (typeof item !== 'string' && typeof item !== 'number') unusable();
      items.push(item);
    }
    from = end;
    yield;
  }
  return items;
}

/** Reads a list of texts. */
export function* decodeTexts(bytes: StoredBytes): Steps<readonly string[]> {
  const items = yield* decodeList(bytes);
  return items.every((item) => typeof item === 'string') ? items : unusable();
}

class UnusableSnapshot extends Error {}

/** Whether an error says that a snapshot is not usable, which a table may find out only when it reads a part of it. */
export function isUnusable(error: unknown): boolean {
  return error instanceof UnusableSnapshot;
}

/** Refuses a snapshot. */
export function unusable(): never {
  throw new UnusableSnapshot();
}

/** The result of the steps, or `undefined` if the snapshot is {@link unusable}. */
export function* ifUsable<T>(steps: Steps<T>): Steps<T | undefined> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof UnusableSnapshot) return undefined;
    throw error;
  }
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** JSON, or refuses it. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decode(bytes));
  } catch {
    return unusable();
  }
}

/** Between two texts of a list in JSON. Within a text, quotes are escaped. */
const BETWEEN = '","';

/** A list of texts in JSON, or refuses it. */
export function parseTexts(bytes: Uint8Array): readonly string[] {
  const json = decode(bytes);
  // Parsing takes several times as long: it makes each text known to the whole process.
  if (json.startsWith('["') && json.endsWith('"]') && !json.includes('\\')) return json.slice(2, -2).split(BETWEEN);
  const texts = parse(bytes);
  return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : unusable();
}

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return unusable();
  }
}
