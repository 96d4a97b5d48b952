import type { ContentBlock, Message, ToolResultBlock, ToolUseBlock } from '../../model/message.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import { isEntry } from '../search/search.ts';
import { START } from './memory-block.ts';
import { plainWords } from './plain-text.ts';
import { sentencesOf } from './sentences.ts';

/** The number of recalled blocks and statements that a conversation remembers: more than a request has by default. */
const MAX_BLOCKS = 250;
const MAX_ENTRIES = 300;
const MAX_SEARCHES = 100;
/** Up to this many of these words around a memory, a sentence only repeats it: "You told me that …, as I recall". */
const MAX_LEAD_WORDS = 8;
const LEAD_WORDS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    'according also and as because before earlier from i indeed it know me memory mentioned my note noted notes of oh ok ' +
    "okay previously recall recalled remember remembered right said saved since so that the to told user yes you you've your"
  ).split(' '),
);

/** A sentence of an entry, or the whole. */
interface Statement {
  readonly words: readonly string[];
  readonly entry: MemoryEntry;
}

/** The recalled memories of a conversation, so that they are not learned again. Bounded: drops the oldest first. */
export class Recalled {
  readonly #blocks = new Set<string>();
  /** The ids of pending calls of the search tool. */
  readonly #searches = new Set<string>();
  /** Entries and their sentences, by their plain text. */
  readonly #entries = new Map<string, Statement>();
  /** The words of `#entries` by their first, once they are needed. */
  #byFirstWord: ReadonlyMap<string | undefined, readonly (readonly string[])[]> | undefined;

  add(block: string, entries: readonly MemoryEntry[]): void {
    const text = block.trim();
    this.#blocks.delete(text);
    if (text !== '') this.#blocks.add(text);
    dropOldest(this.#blocks, MAX_BLOCKS);
    for (const entry of entries) {
      const { content } = entry;
      // An entry with several sentences can be repeated sentence by sentence.
      for (const text of [...sentencesOf(content), content]) {
        const words = plainWords(text);
        const plain = words.join(' ');
        this.#entries.delete(plain);
        if (plain !== '') this.#entries.set(plain, { words, entry });
      }
    }
    dropOldest(this.#entries, MAX_ENTRIES);
    this.#byFirstWord = undefined;
  }

  /** Registers the results of recall tools in a message, which were recalled, too. */
  addResults({ content }: Message, tools: ReadonlySet<string>): void {
    if (typeof content === 'string') return;
    for (const block of content as readonly Partial<ToolUseBlock & ToolResultBlock>[]) {
      const { toolUse, toolResult } = block;
      if (toolUse !== undefined && tools.has(toolUse.name)) this.#searches.add(toolUse.toolUseId);
      if (this.#searches.delete(String(toolResult?.toolUseId))) this.add('', entriesIn(toolResult?.content));
    }
    dropOldest(this.#searches, MAX_SEARCHES);
  }

  /** The entry that states a fact, ignoring case and punctuation. */
  entryWith(plain: string): MemoryEntry | undefined {
    return this.#entries.get(plain)?.entry;
  }

  /**
   * A message without recalled blocks and, for the assistant, without sentences that only repeat entries; `undefined` if
   * nothing is left. Keeps sentences that say anything else: learning an echo costs little, missing a fact much.
   */
  strip(message: Message): Message | undefined {
    if (this.#blocks.size + this.#entries.size === 0) return message;
    const { role, content } = message;
    const strip = (text: string, isAdded = false) => this.#strip(text, isAdded, role === 'assistant');
    if (typeof content === 'string') {
      const text = strip(content);
      return text === content ? message : text === '' ? undefined : { ...message, content: text };
    }
    let changed = false;
    const blocks = content.flatMap((block: ContentBlock, index) => {
      if (!('text' in block) || typeof block.text !== 'string') return [block];
      const text = strip(block.text, index > 0);
      if (text === block.text) return [block];
      changed = true;
      return text === '' ? [] : [{ ...block, text }];
    });
    return changed ? (blocks.length === 0 ? undefined : { ...message, content: blocks }) : message;
  }

  /** @param isAdded - Whether the text was appended as a block of its own. */
  #strip(text: string, isAdded: boolean, spokenByAssistant: boolean): string {
    let rest = text;
    const mayHaveBlocks = text.includes(START);
    // Newest first, because an older block may be part of it.
    for (const block of [...this.#blocks].reverse()) {
      // Nobody else writes this tag. Text in another format could be from a user, so its position matters.
      if (block.startsWith(START)) rest = mayHaveBlocks ? rest.replaceAll(block, '') : rest;
      else rest = isAdded && rest.trim() === block ? '' : withoutEnd(rest, block);
    }
    if (rest !== text) rest = rest.trim();
    if (!spokenByAssistant || this.#entries.size === 0) return rest;
    const sentences = sentencesOf(rest);
    const own = sentences.filter((sentence) => !(this.#mayEcho(sentence) && this.#echoes(plainWords(sentence))));
    return own.length === sentences.length ? rest : own.join('').trim();
  }

  /** A cheap check of the first words, which rules out nearly all sentences. */
  #mayEcho(sentence: string): boolean {
    const tokens = /\S+/g;
    // `exec` costs half as much as `matchAll`.
    for (let token = tokens.exec(sentence); token !== null; token = tokens.exec(sentence)) {
      const [word] = plainWords(token[0]);
      if (this.#wordsFrom(word) !== undefined) return true;
      if (word !== undefined && !isMark(word) && !isLead(word)) return false;
    }
    return false;
  }

  /** Whether the words consist of entries and a few introductory words. */
  #echoes(words: readonly string[]): boolean {
    let [echoLength, lead] = [0, 0];
    for (let start = 0; start < words.length; ) {
      const length = this.#entryAt(words, start);
      echoLength += length;
      start += length || 1;
      if (length > 0) continue;
      const word = words[start - 1] as string;
      if (!isMark(word) && (!isLead(word) || ++lead > MAX_LEAD_WORDS)) return false;
    }
    return echoLength > 0;
  }

  #wordsFrom(first: string | undefined): readonly (readonly string[])[] | undefined {
    this.#byFirstWord ??= Map.groupBy(
      Array.from(this.#entries.values(), ({ words }) => words),
      ([word]) => word,
    );
    return this.#byFirstWord.get(first);
  }

  /** The length in words of the longest entry at a position. */
  #entryAt(words: readonly string[], start: number): number {
    const lengths = this.#wordsFrom(words[start])?.map((entry) => {
      // A single word, such as "yes", is too common.
      const canBe = entry.length > 1 || words.length === 1;
      return canBe && entry.every((word, index) => word === words[start + index]) ? entry.length : 0;
    });
    return Math.max(0, ...(lengths ?? []));
  }
}

function isMark(word: string): boolean {
  return !/[\p{L}\p{N}]/u.test(word);
}

function isLead(word: string): boolean {
  return LEAD_WORDS.has(word.replace('’', "'"));
}

/** The entries in a tool result, whatever the framework wraps it in: nested objects or JSON text. */
function entriesIn(value: unknown): MemoryEntry[] {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return entriesIn(JSON.parse(value));
    } catch {
      return [];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  const { entries } = value as { readonly entries?: unknown };
  return Array.isArray(entries) ? entries.filter(isEntry) : Object.values(value).flatMap(entriesIn);
}

/** Removes a block at the end of a text, after a blank line. */
function withoutEnd(text: string, block: string): string {
  const whole = text.trimEnd();
  if (!whole.endsWith(block)) return text;
  const before = whole.slice(0, -block.length);
  const kept = before.trimEnd();
  const gap = before.slice(kept.length);
  return gap.indexOf('\n') === gap.lastIndexOf('\n') ? text : kept;
}

function dropOldest(kept: Set<string> | Map<string, unknown>, max: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(oldest);
  }
}
