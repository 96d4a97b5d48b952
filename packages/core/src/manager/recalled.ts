import type { MemoryEntry } from '../memory-store.ts';
import type { ContentBlock, Message } from '../message.ts';
import { plainWords } from './plain-text.ts';

/** How many blocks and entries a conversation remembers of what it was reminded of. */
const MAX_BLOCKS = 16;
const MAX_ENTRIES = 200;
/** With so many words more, a sentence still merely says again what it was told: "You told me that …, as I recall". */
const EXTRA_WORDS = 6;

/** What a conversation was reminded of, so that it is not learnt again. Bounded: the oldest goes first. */
export class Recalled {
  readonly #blocks = new Set<string>();
  /** Their words, by what they plainly say. */
  readonly #entries = new Map<string, readonly string[]>();
  #byFirstWord: ReadonlyMap<string | undefined, readonly (readonly string[])[]> = new Map();

  add(block: string, entries: readonly MemoryEntry[]): void {
    const text = block.trim();
    this.#blocks.delete(text);
    if (text !== '') this.#blocks.add(text);
    dropOldest(this.#blocks, MAX_BLOCKS);
    for (const { content } of entries) {
      // An entry of several sentences is repeated one by one.
      for (const text of [...sentencesOf(content), content]) {
        const words = plainWords(text);
        const plain = words.join(' ');
        this.#entries.delete(plain);
        if (plain !== '') this.#entries.set(plain, words);
      }
    }
    dropOldest(this.#entries, MAX_ENTRIES);
    this.#byFirstWord = Map.groupBy(this.#entries.values(), ([word]) => word);
  }

  /** Whether a fact is one of the entries, in whatever spelling. */
  has(plain: string): boolean {
    return this.#entries.has(plain);
  }

  /**
   * A message without the blocks, and, where an assistant speaks, without the sentences that merely repeat an entry.
   * `undefined` where nothing is left of it.
   */
  strip(message: Message): Message | undefined {
    if (this.#blocks.size + this.#entries.size === 0) return message;
    const { role, content } = message;
    const strip = (text: string) => this.#strip(text, role === 'assistant');
    if (typeof content === 'string') {
      const text = strip(content);
      return text === content ? message : text === '' ? undefined : { role, content: text };
    }
    let changed = false;
    const blocks = content.flatMap((block: ContentBlock) => {
      if (!('text' in block) || typeof block.text !== 'string') return [block];
      const text = strip(block.text);
      if (text === block.text) return [block];
      changed = true;
      return text === '' ? [] : [{ ...block, text }];
    });
    return changed ? (blocks.length === 0 ? undefined : { role, content: blocks }) : message;
  }

  #strip(text: string, spokenByAssistant: boolean): string {
    let rest = text;
    // The newest first: an older block may be a part of it.
    for (const block of [...this.#blocks].reverse()) rest = rest.replaceAll(block, '');
    if (rest !== text) rest = rest.trim();
    if (!spokenByAssistant || this.#entries.size === 0) return rest;
    const sentences = sentencesOf(rest);
    const own = sentences.filter((sentence) => !this.#echoes(plainWords(sentence)));
    return own.length === sentences.length ? rest : own.join('').trim();
  }

  #echoes(sentence: readonly string[]): boolean {
    // An entry that begins later has more words before it already than may be around it.
    for (let start = 0; start <= EXTRA_WORDS && start < sentence.length; start++) {
      const entries = this.#byFirstWord.get(sentence[start]);
      if (entries?.some((entry) => isRepeated(entry, sentence, start))) return true;
    }
    return false;
  }
}

/** Whether an entry stands at a place of a sentence that says little else. */
function isRepeated(entry: readonly string[], sentence: readonly string[], start: number): boolean {
  const extra = sentence.length - entry.length;
  if (extra > EXTRA_WORDS || start > extra) return false;
  // A single word, such as "yes", comes up everywhere.
  return (extra === 0 || entry.length > 1) && entry.every((word, index) => word === sentence[start + index]);
}

/** The parts of a text up to each end of a sentence or line: joined, they are the text. */
function sentencesOf(text: string): readonly string[] {
  return text.match(/[^.!?。！？\n]*(?:[.!?。！？]+|\n|$)\s*/gu) ?? [];
}

function dropOldest(kept: Set<string> | Map<string, unknown>, max: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
}
