import { type Message, messageText } from '../message.ts';
import { isAsk } from './asks.ts';
import { estimateTokens } from './tokens.ts';

/** Words that stand for what was said before. In other languages than English, the length of a text alone decides. */
const BACK = wordSet(
  'he him his she her hers it its they them their this that these those one ones there then same again else',
);
/** Words of four letters and more that don't say what a text is about. */
const EMPTY = wordSet('what about when where which with does would could were have tell please');
/** Texts of fewer tokens are short: "and him?", "Lisbon?". */
const SHORT = 5;
/** How many exchanges to go back. */
const EXCHANGES = 3;
/** What is taken of an answer, and of all, in characters. */
const ANSWER = 300;
const QUERY = 4_000;

/**
 * What to search memory for: what the user asks last. Where that is short, or has little but words that point back, the
 * exchange before it comes first, up to 3 of them. Where the model has spoken since, what it said last comes after it.
 */
export function defaultQuery(messages: readonly Message[]): string {
  const texts: string[] = [];
  let asks = 0;
  let answered = false;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as Message;
    const text = messageText(message).trim();
    if (isAsk(message)) {
      texts.unshift(text);
      if (standsAlone(text) || ++asks > EXCHANGES) break;
      answered = false;
    } else if (message.role === 'assistant' && text !== '' && !answered) {
      texts.unshift(text.slice(0, ANSWER));
      answered = true;
    }
  }
  return middleCut(texts.join('\n').trim());
}

/** Whether a text says by itself what it is about. */
function standsAlone(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (estimateTokens(words.join(' ')) < SHORT) return false;
  const telling = words.filter((word) => word.length > 3 && !BACK.has(word) && !EMPTY.has(word));
  return telling.length > 1 || !words.some((word) => BACK.has(word));
}

/** Long texts say what they want at their beginning or their end. */
function middleCut(text: string): string {
  const cut = text.length > QUERY ? `${text.slice(0, QUERY / 2)}\n${text.slice(-QUERY / 2)}` : text;
  // A cut may part a pair of surrogates.
  return cut.toWellFormed();
}

/* @__NO_SIDE_EFFECTS__ */
function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
