import { estimateTokens } from '@keepsake/internal';
import { type Message, messageText } from '../../model/message.ts';
import { isAsk } from './is-user-ask.ts';

/** One of several simultaneous queries, with its weight. */
export interface WeightedQuery {
  readonly text: string;
  readonly weight: number;
}

/** Words that refer to a person mentioned before. */
const PRONOUNS = wordSet('he him his she her hers they them their theirs');
/** Words that refer to something mentioned before. */
const POINTERS = wordSet(
  'he him his she her hers they them their theirs it its this that these those one ones there then same again else other another',
);
/** Words without a subject of their own. */
const FUNCTION_WORDS = wordSet(
  'a about also am an and any are as at be been but by can could did do does done else for from had has have hey how i if ' +
    'in is just know let like may me mean might mine must my no not now of oh ok okay on or our please really said say ' +
    'says shall should so some tell than thanks the think to too us very was we well were what when where which who whom ' +
    'whose why will with would yes you your yours',
);
/** The weight of the earlier conversation beside the question. */
const CONTEXT_WEIGHT = 0.4;
/** The same if the question is about a person named only there. */
const PRONOUN_WEIGHT = 0.8;
/** Shorter texts in other languages than English may refer back in words that are not known here. */
const SHORT = 5;
/** The number of exchanges to look back for a subject. */
const MAX_EXCHANGES = 3;
/** The maximum length of an answer and of a query, in UTF-16 units. */
const MAX_ANSWER = 300;
const MAX_QUERY = 4_000;

/**
 * The memory queries for a conversation: the user's last message alone. If it refers back ("and him?", "Where does she
 * live?"), also the exchange before it, with a lower weight; if it has no subject of its own, only that exchange. What the
 * model said since is another query with the lower weight.
 */
export function defaultQueries(messages: readonly Message[]): WeightedQuery[] {
  const at = messages.findLastIndex(isAsk);
  const ask = at === -1 ? '' : messageText(messages[at] as Message).trim();
  const since = latestAnswer(messages.slice(at + 1));
  const context = isSelfContained(ask) ? '' : exchangeBefore(messages.slice(0, Math.max(0, at)));
  const saysNothing = contentWords(ask).length === 0;
  const queries = [
    { text: saysNothing && context !== '' ? '' : ask, weight: 1 },
    { text: context, weight: wordsOf(ask).some((word) => PRONOUNS.has(word)) ? PRONOUN_WEIGHT : CONTEXT_WEIGHT },
    { text: since, weight: CONTEXT_WEIGHT },
  ];
  return queries.filter(({ text }) => text !== '').map(({ text, weight }) => ({ text: middleCut(text), weight }));
}

/** The last exchange with a subject, with the exchanges without a subject after it. */
function exchangeBefore(messages: readonly Message[]): string {
  const texts: string[] = [];
  let end = messages.length;
  for (let exchange = 0; exchange < MAX_EXCHANGES && end > 0; exchange++) {
    const at = messages.slice(0, end).findLastIndex(isAsk);
    const ask = at === -1 ? '' : messageText(messages[at] as Message).trim();
    const answer = latestAnswer(messages.slice(at + 1, end));
    texts.unshift(...[ask, answer].filter((text) => text !== ''));
    if (contentWords(ask).length > 0) break;
    end = Math.max(0, at);
  }
  return texts.join('\n');
}

function latestAnswer(messages: readonly Message[]): string {
  for (const message of messages.toReversed()) {
    const text = message.role === 'assistant' ? messageText(message).trim() : '';
    if (text !== '') return text.slice(0, MAX_ANSWER).toWellFormed();
  }
  return '';
}

/** Whether a text has a subject. */
function isSelfContained(text: string): boolean {
  const words = wordsOf(text);
  if (contentWords(text).length === 0 || words.some((word) => POINTERS.has(word))) return false;
  return words.some((word) => FUNCTION_WORDS.has(word)) || estimateTokens(words.join(' ')) >= SHORT;
}

function contentWords(text: string): readonly string[] {
  return wordsOf(text).filter((word) => word.length > 1 && !POINTERS.has(word) && !FUNCTION_WORDS.has(word));
}

/** "Who's" is "who". */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)?/gu) ?? [];
  return words.map((word) => word.replace(/['’].*$/u, ''));
}

/** Long texts state their request at the beginning or the end. */
function middleCut(text: string): string {
  const cut = text.length > MAX_QUERY ? `${text.slice(0, MAX_QUERY / 2)}\n${text.slice(-MAX_QUERY / 2)}` : text;
  // A cut can split a surrogate pair.
  return cut.toWellFormed();
}

/* @__NO_SIDE_EFFECTS__ */
function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
