import { randomBytes } from 'node:crypto';
import type { JsonValue } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { digest } from '@keepsake/internal/node';
import type { Change } from '../files/control-file.ts';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { readBlocks, withoutEmptyHeadings, writeBlocks } from './bullets.ts';
import { readFrontMatter, writeFrontMatter } from './raw-memory.ts';
import { readObject } from './read-object.ts';

/*
 * Words that a run was asked to forget. They are removed from all files at once. For a day they are also removed from what
 * is written: by the run that was asked, which is recorded after it ends, and by models that are still reading older text.
 * The file contains digests, since it must not contain the words.
 */

/** Words as a digest. */
export interface ForgottenWords {
  readonly salt: string;
  readonly digest: string;
  /** The number of words. */
  readonly count: number;
  readonly at: string;
}

const REMEMBERED_MS = 24 * 60 * 60 * 1_000;
/** An escape in JSON, which may be nested, or a word. */
const WORD = /\\+(?:u[0-9a-f]{4}|[nrtbf"/])?|[\p{L}\p{N}\p{M}]+/gu;
/** Structure, not content. */
const STRUCTURAL_KEYS: readonly string[] = ['role', 'type', 'state'];

/** Finds forgotten words, regardless of case, punctuation and line breaks between them. */
export class Forgotten {
  readonly #counts: ReadonlySet<number>;
  readonly #isForgotten: (words: string) => boolean;
  readonly #hint: string;

  /** @param hint - What every text with the words contains: most texts are ruled out by it. */
  private constructor(counts: Iterable<number>, isForgotten: (words: string) => boolean, hint = '') {
    this.#counts = new Set(counts);
    this.#isForgotten = isForgotten;
    this.#hint = hint;
  }

  static words(text: string): Forgotten {
    const words = wordsOf(text);
    const wanted = words.map(({ word }) => word).join(' ');
    return new Forgotten([words.length], (phrase) => phrase === wanted, words[0]?.word);
  }

  static digests(entries: readonly ForgottenWords[]): Forgotten {
    const answers = new Map<string, boolean>();
    return new Forgotten(
      entries.map(({ count }) => count),
      (words) => {
        const cached = answers.get(words);
        if (cached !== undefined) return cached;
        const isOne = entries.some((entry) => entry.digest === digestOf(words, entry.salt));
        answers.set(words, isOne);
        return isOne;
      },
    );
  }

  isIn(text: string): boolean {
    return this.#spansIn(text).length > 0;
  }

  /** The text with the words covered. Its length stays the same, so that positions in it stay valid. */
  mask(text: string): string {
    const chars = text.split('');
    for (const { start, end } of this.#spansIn(text)) chars.fill('█', start, end);
    return chars.join('');
  }

  /** Masks the contents of a line of a transcript. */
  maskLine(line: string): string {
    if (!this.isIn(line)) return line;
    try {
      return JSON.stringify(this.#maskSegment(JSON.parse(line))).padEnd(line.length);
    } catch {
      // The torn line of a killed process.
      return '█'.repeat(line.length);
    }
  }

  /** A Markdown file without the bullets and sentences that contain the words. */
  cutFrom(text: string): string {
    if (!this.isIn(text)) return text;
    const { fields, body } = readFrontMatter(text) ?? { fields: undefined, body: text };
    const blocks = readBlocks(body).flatMap((block) => {
      if (!this.isIn(block.text)) return [block];
      if (block.kind === 'heading') return [{ ...block, text: this.mask(block.text) }];
      if (block.kind === 'bullet') return [];
      const kept = block.text.split(/(?<=[.!?])\s+/).filter((sentence) => !this.isIn(sentence));
      return kept.length === 0 ? [] : [{ ...block, text: kept.join(' ') }];
    });
    const left = writeBlocks(withoutEmptyHeadings(blocks));
    // Masking also covers words that were spread over several lines.
    return this.mask(fields === undefined ? left : writeFrontMatter(fields, left));
  }

  #maskSegment(segment: JsonValue): JsonValue {
    if (!isObject(segment)) return this.#maskValue(segment, '');
    const { updatedAt, rolloutId, ...said } = segment;
    return { updatedAt, rolloutId, ...(this.#maskValue(said, '') as object) } as JsonValue;
  }

  #maskValue(value: JsonValue, key: string): JsonValue {
    if (typeof value === 'string') return STRUCTURAL_KEYS.includes(key) ? value : this.mask(value);
    if (Array.isArray(value)) return value.map((part) => this.#maskValue(part, ''));
    if (!isObject(value)) return value;
    const fields = Object.entries(value as Record<string, JsonValue>);
    return Object.fromEntries(fields.map(([name, field]) => [name, this.#maskValue(field, name)]));
  }

  #spansIn(text: string): { readonly start: number; readonly end: number }[] {
    if (this.#counts.size === 0 || !normalized(text).includes(this.#hint)) return [];
    const words = wordsOf(text);
    const spans: { start: number; end: number }[] = [];
    for (const count of this.#counts) {
      for (let first = 0; first + count <= words.length; first++) {
        const part = words.slice(first, first + count);
        if (this.#isForgotten(part.map(({ word }) => word).join(' '))) spans.push(...part);
      }
    }
    return spans;
  }
}

function wordsOf(text: string) {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) =>
    word.startsWith('\\') ? [] : [{ word: normalized(word), start: index, end: index + word.length }],
  );
}

function normalized(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** How many characters the words of a text have. */
export function lettersIn(text: string): number {
  return wordsOf(text).reduce((sum, { word }) => sum + word.length, 0);
}

function digestOf(words: string, salt: string): string {
  return digest(`${salt} ${words}`, 64);
}

interface ForgottenFile {
  readonly forgotten: readonly ForgottenWords[];
}

/** What must not be written at the moment. */
export async function readForgotten(ledger: Ledger, paths: Paths): Promise<Forgotten> {
  return Forgotten.digests((await readEntries(ledger, paths)).entries);
}

async function readEntries(ledger: Ledger, paths: Paths) {
  const path = paths.memory(NAMES.forgotten);
  const file = await ledger.read(path);
  if (file === undefined) return { path, base: null, all: [], entries: [] };
  const { forgotten } = readObject<ForgottenFile>(path, file.text, (it) => Array.isArray(it.forgotten));
  const since = new Date(Date.now() - REMEMBERED_MS).toISOString();
  return { path, base: file.version, all: forgotten, entries: forgotten.filter(({ at }) => at >= since) };
}

/** The change that notes words as forgotten. */
export async function noteForgotten(ledger: Ledger, paths: Paths, text: string): Promise<Change> {
  const { path, base, entries } = await readEntries(ledger, paths);
  const words = wordsOf(text).map(({ word }) => word);
  const salt = randomBytes(12).toString('hex');
  const own = { salt, digest: digestOf(words.join(' '), salt), count: words.length, at: new Date().toISOString() };
  return { path, base, text: writeEntries([...entries, own]) };
}

/** The changes after which a text can be written again. Also drops what was forgotten long ago. */
export async function allowAgain(ledger: Ledger, paths: Paths, text: string): Promise<Change[]> {
  const { path, base, all, entries } = await readEntries(ledger, paths);
  const left = entries.filter((entry) => !Forgotten.digests([entry]).isIn(text));
  if (left.length === all.length) return [];
  return [{ path, base, text: left.length === 0 ? null : writeEntries(left) }];
}

function writeEntries(forgotten: readonly ForgottenWords[]): string {
  return `${JSON.stringify({ forgotten } satisfies ForgottenFile, undefined, 2)}\n`;
}
