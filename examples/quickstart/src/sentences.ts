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
/** Does not match: remind me to buy milk. */
const REQUEST = new RegExp(`^(?:please )?(?:tell|remind) me (?:about|of|${ASKING})\\b`, 'iu');

/** The questions in a text; `''` if there are none. */
export function questionsIn(text: string): string {
  return sentencesOf(text).filter(isQuestion).join(' ');
}

/** The statements in a text; `''` if there are none. A single word, such as "hello", is not a statement. */
export function statementsIn(text: string): string {
  return sentencesOf(text)
    .filter((sentence) => !isQuestion(sentence) && hasSeveralWords(sentence))
    .join(' ');
}

function sentencesOf(text: string): string[] {
  return [...sentences.segment(text)].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '');
}

function isQuestion(sentence: string): boolean {
  if (/[?？؟]/u.test(sentence) || REQUEST.test(sentence)) return true;
  return !/[.!]$/u.test(sentence) && QUESTION.test(sentence);
}

function hasSeveralWords(sentence: string): boolean {
  return [...words.segment(sentence)].filter(({ isWordLike }) => isWordLike).length > 1;
}
