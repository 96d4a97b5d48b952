import type { Steps } from './steps.ts';

/*
 * The layout of a snapshot: two 32-bit numbers, a JSON header with the names and lengths of the sections, and the sections.
 * Numbers have the byte order of the machine; a machine with another byte order reads a wrong magic number and refuses it.
 */

/** Raised with every change of the contents of snapshots. */
const FORMAT = 3;
/** "KEEP" where the byte order is little-endian. */
const MARK = 0x5045454b;
const PRELUDE_BYTES = 8;

interface Header {
  readonly format: number;
  /** The kind of the snapshot. */
  readonly of: string;
  /** Names and lengths. */
  readonly sections: readonly (readonly [string, number])[];
}

/** The bytes of a section, in one piece or several. */
type Section = Uint8Array | readonly Uint8Array[];

/** Writes a snapshot. `of` identifies its format exactly: the same text means that the same code can read it. */
export function writeSnapshot(of: string, sections: Readonly<Record<string, Section>>): Uint8Array {
  return joined(snapshotPieces(of, sections));
}

/** The same as {@link writeSnapshot}, in pieces, so that large sections are not copied. */
export function snapshotPieces(of: string, sections: Readonly<Record<string, Section>>): readonly Uint8Array[] {
  const named = Object.entries(sections).map(([name, section]) => ({ name, pieces: [section].flat() }));
  const lengths = named.map(({ name, pieces }) => [name, lengthOf(pieces)] as const);
  const header = encode(JSON.stringify({ format: FORMAT, of, sections: lengths } satisfies Header));
  const prelude = new Uint8Array(Uint32Array.of(MARK, header.length).buffer);
  return [prelude, header, ...named.flatMap(({ pieces }) => pieces)];
}

/** The pieces as one. */
export function joined(all: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(lengthOf(all));
  let end = 0;
  for (const piece of all) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

/** Returns a section as a view. Refuses a missing one. */
export type SectionReader<Name extends string = string> = (name: Name) => Uint8Array;

/** Reads a snapshot of this format and refuses any other. */
export function readSnapshot(of: string, bytes: Uint8Array): SectionReader {
  if (bytes.length < PRELUDE_BYTES) unusable();
  // Copied for the alignment of 32-bit numbers.
  const [mark, headerLength = 0] = new Uint32Array(new Uint8Array(bytes.subarray(0, PRELUDE_BYTES)).buffer);
  let end = PRELUDE_BYTES + headerLength;
  if (mark !== MARK || end > bytes.length) unusable();
  const header = parse(bytes.subarray(PRELUDE_BYTES, end)) as Partial<Header> | null;
  if (header?.format !== FORMAT || header.of !== of || !Array.isArray(header.sections)) unusable();
  const sections = new Map<unknown, Uint8Array>();
  for (const section of header.sections) {
    const [name, length] = Array.isArray(section) ? section : unusable();
    if (!(length >= 0)) unusable();
    sections.set(name, bytes.subarray(end, end + length));
    end += length;
  }
  // The snapshot is complete, and all lengths are valid.
  if (end !== bytes.length) unusable();
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
export function* decodeList(bytes: Uint8Array): Steps<readonly (string | number)[]> {
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
export function* decodeTexts(bytes: Uint8Array): Steps<readonly string[]> {
  const items = yield* decodeList(bytes);
  return items.every((item) => typeof item === 'string') ? items : unusable();
}

class UnusableSnapshot extends Error {}

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

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return unusable();
  }
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
