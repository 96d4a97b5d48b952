import type { MemoryEntry } from '../memory-store.ts';
import type { ContentBlock, Message } from '../message.ts';
import { plainText } from './plain-text.ts';

/** How many blocks and entries a conversation remembers of what it was reminded of. */
const MAX_BLOCKS = 16;
const MAX_ENTRIES = 200;
/** With so many words more, a sentence still merely says again what it was told: "You told me that …, as I recall". */
const EXTRA_WORDS = 6;

/** What a conversation was reminded of, so that it is not learnt again. Bounded: the oldest goes first. */
export class Recalled {
  readonly #blocks = new Set<string>();
  readonly #entries = new Set<string>();

  add(block: string, entries: readonly MemoryEntry[]): void {
    if (block.trim() !== '') keepNewest(this.#blocks, block.trim(), MAX_BLOCKS);
    for (const { content } of entries) {
      // An entry of several sentences is repeated one by one.
      for (const text of [...sentencesOf(content), content]) {
        const plain = plainText(text);
        if (plain !== '') keepNewest(this.#entries, plain, MAX_ENTRIES);
      }
    }
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
    const own = sentences.filter((sentence) => sentence.trim() === '' || !this.#echoes(plainText(sentence)));
    return own.length === sentences.length ? rest : own.join('').trim();
  }

  #echoes(sentence: string): boolean {
    if (this.#entries.has(sentence)) return true;
    const words = ` ${sentence} `;
    for (const entry of this.#entries) {
      // A single word, such as "yes", comes up everywhere.
      if (!entry.includes(' ') || !words.includes(` ${entry} `)) continue;
      if (sentence.split(' ').length - entry.split(' ').length <= EXTRA_WORDS) return true;
    }
    return false;
  }
}

/** The parts of a text up to each end of a sentence or line: joined, they are the text. */
function sentencesOf(text: string): readonly string[] {
  return text.match(/[^.!?。！？\n]*(?:[.!?。！？]+|\n|$)\s*/gu) ?? [];
}

function keepNewest(texts: Set<string>, text: string, max: number): void {
  texts.delete(text);
  texts.add(text);
  for (const oldest of texts) {
    if (texts.size <= max) return;
    texts.delete(oldest);
  }
}
