import { characterClassAt, EMOJI, JOINER, SPACELESS, WORD, widthAt } from './character-class.ts';
import { detached } from './detached.ts';
import { digitsOf, localNumberOf, phoneNumberAt } from './phone-numbers.ts';

/** The size of a piece of text without spaces that is segmented at once. */
const MAX_PIECE = 512;
/** The number of cached short runs, and their maximum length in UTF-16 units. */
const MAX_REMEMBERED = 8192;
const MAX_REMEMBERED_RUN = 32;

const STARTS_WITH_DIGIT = /^\d/;
const FLAG = /^\p{RI}{2}/u;

const remembered = new Map<string, readonly string[]>();

// A fixed locale, so that words don't depend on the machine's.
let segmenter: Intl.Segmenter | undefined;

/**
 * The tokens of a normalised text, in order: words with the joiners inside them (`jon's`, `e-mail`, `10:30`), the single
 * words of scripts that have no spaces, emoji, and phone numbers again without what is between their digits, and without what may come before the local number. One pass,
 * whatever the text.
 */
export function tokenise(text: string): string[] {
  const tokens: string[] = [];
  let index = 0;
  let groupsEnd = 0;
  while (index < text.length) {
    const kind = characterClassAt(text, index);
    const start = index;
    if (kind === WORD) {
      index = endOfWord(text, start);
      const token = text.slice(start, index);
      tokens.push(token);
      if (!STARTS_WITH_DIGIT.test(token)) continue;
      const own = digitsOf(token);
      const groups = start >= groupsEnd ? phoneNumberAt(text, start) : undefined;
      groupsEnd = groups?.end ?? groupsEnd;
      for (const digits of new Set([own, groups?.digits ?? ''])) if (digits !== '') tokens.push(digits);
      for (const end of new Set([token, own, groups?.digits ?? ''].map(localNumberOf)))
        if (end !== '') tokens.push(end);
    } else if (kind === EMOJI) {
      index = endOfEmoji(text, start);
      tokens.push(text.slice(start, index));
    } else if (kind === SPACELESS) {
      index = endOfRun(text, start, SPACELESS);
      pushWords(text.slice(start, index), tokens);
    } else {
      index += widthAt(text, index);
    }
  }
  return tokens;
}

function endOfWord(text: string, start: number): number {
  let end = endOfRun(text, start, WORD);
  if (end - start === 1) end = endOfSuffix(text, end);
  while (end + 1 < text.length && characterClassAt(text, end) === JOINER) {
    if (characterClassAt(text, end + 1) !== WORD) break;
    end = endOfRun(text, end + 1, WORD);
  }
  return end;
}

/** A flag is a pair of letters. */
function endOfEmoji(text: string, start: number): number {
  const [flag] = FLAG.exec(text.slice(start, start + 4)) ?? [];
  return start + (flag?.length ?? widthAt(text, start));
}

function endOfRun(text: string, start: number, kind: number): number {
  let end = start;
  while (end < text.length && characterClassAt(text, end) === kind) end += widthAt(text, end);
  return end;
}

/** Skips the signs of one-letter names: `c++`, `c#`, `a+`. */
function endOfSuffix(text: string, start: number): number {
  let end = start;
  while (end < text.length && end - start < 2 && (text[end] === '+' || text[end] === '#')) end++;
  const belongs = end === text.length || characterClassAt(text, end) !== WORD;
  return belongs ? end : start;
}

function pushWords(run: string, tokens: string[]): void {
  const words = run.length > MAX_REMEMBERED_RUN ? segment(run) : recall(run);
  for (const word of words) tokens.push(word);
}

function recall(run: string): readonly string[] {
  const knownWords = remembered.get(run);
  if (knownWords !== undefined) return knownWords;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const words = segment(run).map(detached);
  remembered.set(detached(run), words);
  return words;
}

/** The words of a run, segmented in pieces, because the segmenter's time grows faster than the length. */
function segment(run: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const words: string[] = [];
  let start = 0;
  while (start < run.length) {
    const piece = run.slice(start, start + MAX_PIECE);
    const isLast = start + piece.length === run.length;
    let end = 0;
    let last: Intl.SegmentData | undefined;
    for (const part of segmenter.segment(piece)) {
      if (last?.isWordLike) words.push(last.segment);
      end += last?.segment.length ?? 0;
      last = part;
    }
    // The last word may continue in the next piece, unless it is the whole piece.
    const isWhole = isLast || end === 0;
    if (isWhole && last?.isWordLike) words.push(last.segment);
    start += isWhole ? piece.length : end;
  }
  return words;
}
