import { SMALL_TALK } from './small-talk.ts';

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

const ASKING = 'who|whose|what|when|where|which|why|how';
const VERB = 'is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should';
const PERSON = 'i|you|we|he|she|it|they';

/** The beginnings of questions that people type without a question mark. */
const QUESTIONS = [
  // where do I live; but not: when I was a child
  `(?:${ASKING}) (?:${VERB})\\b`,
  // which of my keys is blue; but not: what you said was right
  `(?:what|which|whose|how)(?: (?!(?:${PERSON})\\b)\\S+){1,3} (?:${VERB})\\b`,
  // what's my name, whats my name
  `(?:${ASKING})['’]?s\\b`,
  // who plays the cello; but not: who I was then I don't know
  `who (?!(?:${PERSON})\\b)\\S`,
  // do you know Ada; but not: will and Ada came
  `(?:${VERB}) (?:${PERSON}|my|your|our|his|her|their|the|there|this|that)\\b`,
];
const QUESTION = new RegExp(`^(?:${QUESTIONS.join('|')})`, 'iu');

/** What the user wants done now: tell me a joke. But not: remind me to buy milk, tell me to leave at five. */
const REQUEST = new RegExp(
  `^(?:please |now |and |then )*(?:${[
    '(?:tell|show|give|sing|read|help|find) (?:me|us)\\b(?! to\\b)',
    `remind me (?:about|of|${ASKING})\\b`,
    '(?:write|find|list|describe|summari[sz]e|translate) (?:a|an|my|the|all|some|your|this|that|it|what)\\b',
    '(?:explain|calculate|recommend|suggest) \\S',
  ].join('|')})`,
  'iu',
);

/** A request for a memory: tell me where my key is. */
const RECALLS = new RegExp(`\\b(?:${ASKING}|about|my)\\b`, 'iu');

/** Asks to keep what was said beside it: …, can you remind me? */
const ASKS_TO_KEEP =
  /^(?:can|could|will|would) you (?:please )?(?:remind me|remember|note|keep)(?: (?:it|this|that|of (?:it|this|that)|about (?:it|this|that)|then|please))*\?*$/iu;
/** Asks to keep what follows: can you remember that …? */
const KEEP = [
  /^(?:can|could|will|would) you (?:please )?(?:remember|note|keep in mind) (?:that|:) ?(.+?)[?.!]*$/iu,
  /^(?:can|could|will|would) you (?:please )?(remind me (?:to|that) .+?)[?.!]*$/iu,
];
/** Asks whether something is known, and says it: did you know that …? */
const KNOWN =
  /^(?:did you know|(?:did|have) i (?:ever )?(?:tell|told|mention(?:ed)?)(?: to)?(?: you)?) that (.+?)[?.!]*$/iu;

/** Beginnings of a part that only leads to the question: if I move, for my trip to Japan. */
const LEADS =
  /^(?:if|when|since|because|given|assuming|suppose|unless|before|after|for|in|on|at|with|about|from|of|to|regarding|as|ok|okay|well|hey|please)\b/iu;

/** What a sentence says and asks. */
interface Content {
  readonly states?: string;
  readonly asks?: string;
}

/** The questions and requests in a text; `''` if there are none. */
export function questionsIn(text: string): string {
  return partsOf(text, 'asks');
}

/** The statements in a text; `''` if there are none. Small talk, such as "hello there", is not a statement. */
export function statementsIn(text: string): string {
  return partsOf(text, 'states');
}

/** Whether a text asks for something that is not in any memory, such as a joke. */
export function isRequest(text: string): boolean {
  return REQUEST.test(text) && !RECALLS.test(text);
}

/** The sentences of a text. */
export function sentencesOf(text: string): string[] {
  return [...sentences.segment(text)].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '');
}

/** The number of words in a text. */
function wordCount(text: string): number {
  return [...words.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}

function partsOf(text: string, part: keyof Content): string {
  return sentencesOf(text)
    .map((sentence) => contentOf(sentence)[part] ?? '')
    .filter((found) => found !== '')
    .join(' ');
}

function contentOf(sentence: string): Content {
  const kept = KEEP.map((pattern) => pattern.exec(sentence)?.[1]).find((found) => found !== undefined);
  if (kept !== undefined) return { states: asSentence(kept) };
  const known = KNOWN.exec(sentence)?.[1];
  if (known !== undefined) return { states: asSentence(known), asks: sentence };
  const split = splitBeforeQuestion(sentence);
  if (split !== undefined) return split;
  if (isQuestion(sentence)) return { asks: sentence };
  return wordCount(sentence) > 1 && !SMALL_TALK.test(sentence) ? { states: sentence } : {};
}

function isQuestion(sentence: string): boolean {
  if (/[?？؟]/u.test(sentence) || REQUEST.test(sentence)) return true;
  return !/[.!]$/u.test(sentence) && QUESTION.test(sentence);
}

/** Splits "My name is Ada, what is yours?" A question mark after a statement does not make it a question. */
function splitBeforeQuestion(sentence: string): Content | undefined {
  if (QUESTION.test(sentence) || LEADS.test(sentence)) return undefined;
  for (const { 0: separator, index } of sentence.matchAll(/[,;:]\s+|\s[-–—]\s/gu)) {
    const before = sentence.slice(0, index);
    const rest = sentence.slice(index + separator.length).replace(/^(?:so|and|but|then) /iu, '');
    if (wordCount(before) < 3 || !asksAfterAll(rest)) continue;
    return ASKS_TO_KEEP.test(rest) ? { states: asSentence(before) } : { states: asSentence(before), asks: rest };
  }
  return undefined;
}

/** Without a question mark, "…, who plays the cello" can be part of a statement. */
function asksAfterAll(rest: string): boolean {
  return rest.endsWith('?') ? QUESTION.test(rest) : ASKS_TO_KEEP.test(rest.replace(/[.!]$/u, ''));
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
