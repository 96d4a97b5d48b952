const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const ASKING = 'who|whose|what|when|where|which|why|how';
const VERB = 'is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should';
const PERSON = 'i|you|we|he|she|it|they';

/** How questions begin that people type without a question mark. */
const QUESTIONS = [
  // where do I live, what day is it; but not: when I was a child
  `(?:${ASKING})(?: (?!(?:${PERSON})\\b)\\S+){0,2}? (?:${VERB})\\b`,
  // what's my name
  `(?:${ASKING})['’]s\\b`,
  // do you know Ada; but not: will and Ada came
  `(?:${VERB}) (?:${PERSON}|my|your|our|his|her|their|the|there|this|that)\\b`,
];
const QUESTION = new RegExp(`^(?:${QUESTIONS.join('|')})`, 'iu');
/** But not: remind me to buy milk. */
const REQUEST = new RegExp(`^(?:please )?(?:tell|remind) me (?:about|of|${ASKING})\\b`, 'iu');

/** The sentences of a text that ask something; `''` where none does. */
export function questionsIn(text: string): string {
  return sentencesOf(text).filter(isQuestion).join(' ');
}

/** The sentences of a text that tell something; `''` where none does. A single word, such as "hello", tells nothing. */
export function statementsIn(text: string): string {
  return sentencesOf(text)
    .filter((sentence) => !isQuestion(sentence) && sentence.includes(' '))
    .join(' ');
}

function sentencesOf(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '');
}

function isQuestion(sentence: string): boolean {
  if (/[?？؟]/u.test(sentence) || REQUEST.test(sentence)) return true;
  return !/[.!]$/u.test(sentence) && QUESTION.test(sentence);
}
