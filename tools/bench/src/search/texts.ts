import type { Entry } from '../engines/engine.ts';
import { stopWordsAmong } from '../engines/stop-words.ts';
import { randomNumbers } from '../random.ts';

/** The texts and the queries: the same for the same number and length of entries. */
export interface Texts {
  /** With turns: conversations of 25 turns between two people, one a day. */
  readonly entries: readonly Entry[];
  /** Half are 2 to 8 words, half are questions; each has at least one word that is not a stop word. */
  readonly queries: readonly string[];
  /** Queries with exactly one correct first result. */
  readonly known: readonly KnownItem[];
  readonly stopWords: ReadonlySet<string>;
  /** The three most common words that are not stop words. Each is in about 2 % of short entries. */
  readonly commonest: readonly string[];
}

/** Short entries have about 100 characters, as in a chat of friends; long ones 4,000, like an assistant's answers. */
export type TextLength = keyof typeof WORDS;

/** The minimum and maximum number of words of an entry. */
const WORDS = { short: [6, 33], long: [700, 940] } as const;

export interface KnownItem {
  readonly query: string;
  readonly place: number;
}

/** The most common function words of English, most common first. */
const FUNCTION_WORDS =
  'the be to of and a in that have i it for not on with he as you do at this but his by from they we her she or an will my all would there their what so up out if about who which when can no just him into your some could them than then now only its over how our is us are was were has had been did does more where why very too here should these those through after before between under again same other each few own such until while both being most'.split(
    ' ',
  );

const VOCABULARY = 20_000;
const QUERIES = 2_000;
const TURNS = 25;
const DAY_MS = 86_400_000;
const SPEAKERS = 40;
/** Words that no other entry contains. */
const MARKS = ['heliotrope', 'quicksilver', 'rhubarb', 'xylophone', 'zeppelin'];

const CONSONANTS = [...'bdfghklmnprstvz'];
const VOWELS = [...'aeiou'];
const ENDINGS = ['', 'n', 'r', 'l', 'k'];

/** Follows Zipf's law, as natural language does: half of all words are function words. */
export function makeTexts(count: number, length: TextLength = 'short'): Texts {
  const random = randomNumbers(count);
  const { functionWords, contentWords } = vocabulary();
  const words = [...functionWords, ...contentWords];
  const word = () => words[rank(random(), 1, words.length)] as string;
  const contentWord = () => words[rank(random(), functionWords.length + 1, words.length)] as string;
  const [fewest, most] = WORDS[length];
  const times = (length: number, make: () => string) => Array.from({ length }, make);
  const speakers = contentWords.slice(200, 200 + SPEAKERS).map(capitalised);

  const contents = Array.from({ length: count }, () =>
    times(fewest + Math.floor(random() * (most - fewest + 1)), word),
  );
  const known = MARKS.map((mark, index): KnownItem => {
    const place = Math.floor(((index + 0.5) / MARKS.length) * count);
    (contents[place] as string[])[3] = mark;
    return { query: mark, place };
  });
  const entries = contents.map((said, place): Entry => {
    const conversation = Math.floor(place / TURNS);
    const speaker = speakers[(conversation + (place % 2)) % SPEAKERS] as string;
    return {
      content: flat(`${capitalised(said.join(' '))}.`),
      createdAt: new Date(
        Date.UTC(2020, 0, 1) + (conversation % 2_000) * DAY_MS + (place % TURNS) * 60_000,
      ).toISOString(),
      turn: { thread: `conversation ${conversation}`, index: place % TURNS, speaker },
    };
  });
  const speaker = () => speakers[Math.floor(random() * SPEAKERS)];
  const questions = [
    () => `What did ${speaker()} say about the ${contentWord()} ${contentWord()}?`,
    () => `When did ${speaker()} ${contentWord()} the ${contentWord()}?`,
    () => `Where is the ${contentWord()} of the ${contentWord()} now?`,
    () => `Which ${contentWord()} did we ${contentWord()} for the ${contentWord()}?`,
    () => `Why was ${speaker()} so ${contentWord()} about it?`,
  ];
  const queries = Array.from({ length: QUERIES }, (_, index) => {
    if (index % 2 === 1) return (questions[Math.floor(index / 2) % questions.length] as () => string)();
    return [contentWord(), ...times(1 + Math.floor(random() * 7), word)].join(' ');
  });
  return {
    entries,
    queries: queries.map(flat),
    known,
    stopWords: new Set(functionWords),
    commonest: contentWords.slice(0, 3),
  };
}

function vocabulary(): { functionWords: string[]; contentWords: string[] } {
  const stopWords = stopWordsAmong(FUNCTION_WORDS);
  const functionWords = FUNCTION_WORDS.filter((word) => stopWords.has(word));
  const made = Array.from({ length: VOCABULARY }, (_, number) => syllables(number));
  const taken = stopWordsAmong(made);
  return {
    functionWords,
    contentWords: made.filter((word) => !taken.has(word)).slice(0, VOCABULARY - functionWords.length),
  };
}

/** A different word for every number, shorter for lower numbers. */
function syllables(number: number): string {
  const ending = ENDINGS[number % ENDINGS.length] as string;
  let left = Math.floor(number / ENDINGS.length);
  let word = '';
  for (let syllable = 0; syllable < 2 || left > 0; syllable++) {
    word += `${CONSONANTS[left % CONSONANTS.length]}${VOWELS[Math.floor(left / CONSONANTS.length) % VOWELS.length]}`;
    left = Math.floor(left / (CONSONANTS.length * VOWELS.length));
  }
  return word + ending;
}

/** Picks a rank from a range with a probability proportional to one divided by the rank. */
function rank(chance: number, first: number, last: number): number {
  return Math.floor(first * ((last + 1) / first) ** chance) - 1;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Flattens the concatenated strings, which are slow to read the first time and take more memory until then. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
