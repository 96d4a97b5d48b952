import { characterClassAt, JOINER, SPACELESS, WORD, widthAt } from './character-class.ts';

// A fixed locale: which words are found must not depend on the machine's.
let segmenter: Intl.Segmenter | undefined;

/**
 * The tokens of a normalised text, in order: words with the joiners inside them (`jon's`, `e-mail`, `10:30`), and
 * the single words of scripts that have no spaces. One pass, whatever the text.
 */
export function tokenise(text: string): string[] {
  const tokens: string[] = [];
  let index = 0;
  while (index < text.length) {
    const kind = characterClassAt(text, index);
    const start = index;
    if (kind === WORD) {
      index = endOfWord(text, start);
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

function endOfRun(text: string, start: number, kind: number): number {
  let end = start;
  while (end < text.length && characterClassAt(text, end) === kind) end += widthAt(text, end);
  return end;
}

/** Past the signs of one-letter names: `c++`, `c#`, `a+`. */
function endOfSuffix(text: string, start: number): number {
  let end = start;
  while (end < text.length && end - start < 2 && (text[end] === '+' || text[end] === '#')) end++;
  const belongs = end === text.length || characterClassAt(text, end) !== WORD;
  return belongs ? end : start;
}

function pushWords(run: string, tokens: string[]): void {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike) tokens.push(segment);
  }
}
