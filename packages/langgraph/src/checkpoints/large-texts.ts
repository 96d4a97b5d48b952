import { MemoryError, type RecordInput, type RecordStore } from '@keepsake/core';
import { uuidv7 } from '@keepsake/core/adapter';
import { characterStart } from '@keepsake/internal';
import { expectIntact, hasTexts } from './damage.ts';

/** Points to a text that is stored in parts. */
export interface LargeText {
  readonly at: string;
  readonly parts: number;
}

/** UTF-16 units in a part. Each takes at most 3 bytes as UTF-8, and a record takes 1 MiB. */
const PART_LENGTH = 349_000;

/** More than a process can hold. */
const MAX_PARTS = 10_000;

/** How many parts are written at a time, so that one write stays at a few megabytes. */
const PARTS_PER_WRITE = 8;

/** Texts above the size of a record, in parts of their own. A text never changes. */
export class LargeTexts {
  readonly #store: RecordStore;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /** Resolves when all parts are stored. Nothing refers to them until the caller stores the result. */
  async write(text: string): Promise<LargeText> {
    const at = uuidv7();
    const records = split(text).map((part, index): RecordInput => {
      // The mark keeps a part that is all spaces from being blank.
      return { id: partId(at, index), content: `|${part}`, index: false };
    });
    for (let start = 0; start < records.length; start += PARTS_PER_WRITE) {
      await this.#store.putMany(records.slice(start, start + PARTS_PER_WRITE));
    }
    return { at, parts: records.length };
  }

  /** @throws MemoryError `CORRUPT` if a part is missing. */
  async read(large: LargeText): Promise<string> {
    expectIntact(hasTexts(large, 'at') && Number.isSafeInteger(large.parts) && Number(large.parts) <= MAX_PARTS);
    const { at, parts } = large;
    const records = await Promise.all(Array.from({ length: parts }, (_, index) => this.#store.get(partId(at, index))));
    return records
      .map((record) => {
        if (record === undefined)
          throw new MemoryError('CORRUPT', 'Part of a checkpoint is missing. Delete the thread.');
        return record.content.slice(1);
      })
      .join('');
  }
}

function partId(at: string, index: number): string {
  return `part:${at}:${index}`;
}

/** Splits a text between characters. */
function split(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = characterStart(text, Math.min(start + PART_LENGTH, text.length));
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}
