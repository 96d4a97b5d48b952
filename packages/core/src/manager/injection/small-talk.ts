import type { MemoryEntry } from '../../store/memory-store.ts';

/** Words of greetings and acknowledgements. */
const SMALL_TALK: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    'a absolutely afternoon again ah all alright amazing and any anytime appreciate are awesome bye care cheers cool course ' +
    'day definitely done evening excellent exactly fair fine for glad good goodbye goodnight got great ha haha happy have ' +
    "hello help helpful hey hi hmm how i i'll it it's later lol lot lovely makes mhm morning much my nice night no nope " +
    'noted now of oh ok okay perfect please pleasure problem really remember right see sense so sounds super sure take ' +
    "talk thank thanks that that's the then this time to too totally true understood very welcome well will wonderful wow " +
    "yay yeah yep yes you you're your"
  ).split(' '),
);
/** More words than this are not small talk. */
const MAX_SMALL_TALK = 10;
/** What a question may begin with. */
const LEAD = /^(?:(?:and|but|so|also|ok|okay|hey|hi|hello|well),? )*/;
const QUESTION_WORD =
  /^(?:who|whom|whose|what|where|when|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have)\b/;
/** A longer question has information: "Can you help me plan my trip to Oslo in May, where my sister lives?" */
const MAX_QUESTION = 12;
/** Asks for what is not known, and not for something to be done: where is my bike, which seat do I want, am I allergic. */
const ASKS =
  /^(?:(?:who|where|when|why|(?:what|which|whose|how)(?: (?!(?:i|you|we|he|she|it|they)\b)\S+){0,3}?)(?:'s| (?:is|are|was|were|am|do|does|did|has|have|had|can|can't|could|will|would|should))\b|(?:am|are|was|were|do|did|have|had) (?:i|we)\b)/;
/** Says something while it asks: have I told you that my sister has moved. */
const TELLS = /\b(?:that (?:i|my|we|our)\b|(?:did|have) i (?:ever )?(?:tell|told|mention)|remember|remind)/;
/** A longer text is not small talk. */
const MAX_LENGTH = 200;
const SENTENCE = /[^.!?\n]+[.!?\n]*/g;
/** Greetings, thanks and acknowledgements, in words without punctuation. */
const COURTESY = /* @__PURE__ */ courtesy();
/** A speaker's name before the text, as some stores keep it: `Ada: Okay!` */
const SPEAKER = /^\p{L}[\p{L} .'-]{0,40}: (?=\S)/u;

/**
 * Whether an entry is an utterance without information of its own: greetings, acknowledgements, bare questions. English only.
 */
export function saysNothing({ content, turn }: MemoryEntry): boolean {
  return turn !== undefined && everySentence(content.replace(SPEAKER, ''), isSmallTalk, isBareQuestion);
}

/**
 * Whether a message need not be stored, because nobody would ask for it: phrases that are never an answer, and questions of a
 * user that say nothing. A question of the assistant tells what the answer is about. In doubt, a message is stored, because
 * what is not stored is lost. English only.
 */
export function isChatter(text: string, isOfUser: boolean): boolean {
  return everySentence(text, isCourtesy, isOfUser ? asksOnly : () => false);
}

type Kind = (sentence: string, words: readonly string[]) => boolean;

function everySentence(text: string, ...kinds: readonly Kind[]): boolean {
  if (text.length > MAX_LENGTH) return false;
  const sentences = text.toLowerCase().replaceAll('’', "'").match(SENTENCE) ?? [];
  return sentences.every((sentence) => {
    const words = sentence.match(/[\p{L}\p{N}][\p{L}\p{N}']*/gu) ?? [];
    return kinds.some((isKind) => isKind(sentence.trim().replace(LEAD, ''), words));
  });
}

function isCourtesy(_: string, words: readonly string[]): boolean {
  return COURTESY.test(words.join(' '));
}

function isSmallTalk(_: string, words: readonly string[]): boolean {
  return words.length <= MAX_SMALL_TALK && words.every((word) => SMALL_TALK.has(word));
}

function isBareQuestion(sentence: string, { length }: readonly string[]): boolean {
  return length <= MAX_QUESTION && sentence.endsWith('?') && QUESTION_WORD.test(sentence);
}

function asksOnly(sentence: string, { length }: readonly string[]): boolean {
  return length <= MAX_QUESTION && sentence.endsWith('?') && ASKS.test(sentence) && !TELLS.test(sentence);
}

function courtesy(): RegExp {
  const phrases =
    '(?:hi|hello|hey)(?: (?:there|again|you|all))?|good (?:morning|afternoon|evening|night|day)|(?:good)?bye(?: bye)?|' +
    'see you(?: (?:later|soon|tomorrow))?|thanks?(?: you)?(?: (?:a lot|so much|very much|again))?|ok(?:ay)?|all ?right|' +
    "great|cool|nice|perfect|sure|of course|no problem|got it|noted|understood|(?:that )?sounds good|i see|never ?mind|you're " +
    "welcome|you are welcome|how are you|how can i help(?: you)?(?: today)?|nice to meet you|i(?:'ll| will) remember that";
  return new RegExp(`^(?:${phrases})(?: (?:${phrases}))*$`);
}
