import { type ContentBlock, type Message, messageText } from '../../model/message.ts';
import { isChatter } from '../injection/small-talk.ts';

/** The default filter: what people and the assistant said, without tool calls and results. */
export function withoutTools(message: Message): Message | undefined {
  const { role, content } = message;
  if (role === 'tool') return undefined;
  if (typeof content === 'string') return message;
  const blocks = content.filter((block: ContentBlock) => !('toolUse' in block || 'toolResult' in block));
  return blocks.length === content.length ? message : { ...message, content: blocks };
}

/**
 * The default filter where messages themselves become memories: also without greetings, acknowledgements, the user's bare
 * questions, and what the user asks to forget. A question of the assistant stays, because it tells what the answer is about.
 */
export function worthKeeping(message: Message): Message | undefined {
  const said = withoutTools(message);
  const text = said === undefined ? '' : messageText(said).trim();
  const isOfUser = said?.role === 'user';
  return text !== '' && (isChatter(text, isOfUser) || (isOfUser && asksToForget(text))) ? undefined : said;
}

/** Whether a message is empty or blank. */
export function isEmptied({ content }: Message): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return content.every((block: ContentBlock) => 'text' in block && String(block.text).trim() === '');
}

const PATTERNS = /* @__PURE__ */ patterns();
const THANKS = /^(?:please|thanks|thank you)\b.{0,10}$/;
/** Says when to do something, and does not ask for it now. */
const CONDITION = /^(?:if|when|whenever|once|unless|until|after|before|in case)\b/;
const SENTENCE = /[^.!?\n]+/g;
const CLAUSE = /[,;:]\s|\s[-–—]+\s|—/;

/**
 * Whether a user asks not to keep what the message says, or to forget something: "My PIN is 1234, forget it". A text that only
 * begins with "forget it" takes back what was said earlier, and may say something new. English only.
 */
function asksToForget(text: string): boolean {
  const sentences = text.toLowerCase().replaceAll('’', "'").match(SENTENCE) ?? [];
  const clauses = sentences
    .map((sentence) => sentence.trim())
    .flatMap((sentence) => (CONDITION.test(sentence) ? [sentence] : sentence.split(CLAUSE)))
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '' && !THANKS.test(clause));
  const { takesBack, forbids, namesWhat } = PATTERNS;
  const [first = '', ...others] = clauses;
  if (others.length === 0) return takesBack.test(first) || forbids.test(first) || namesWhat.test(first);
  return clauses.some((clause) => forbids.test(clause)) || others.some((clause) => takesBack.test(clause));
}

function patterns() {
  const polite =
    "(?:(?:and|but|so|then|now|oh|ok|please|just|(?:can|could|would) you|you can|i want you to|i'd like you to) )*";
  const memory = 'from (?:your |the )?(?:memory|notes)';
  const end = `(?: (?:again|now|please|for good|right away|${memory}))*$`;
  const told = "(?:what|everything|anything)(?: that)? i(?:'ve)? (?:just )?(?:said|told you|wrote)";
  const said = `(?:${told}|(?:my|the) last (?:message|thing))`;
  const request = (...alternatives: readonly string[]) => new RegExp(`^${polite}(?:${alternatives.join('|')})`);
  return {
    /** Asks not to keep what was said before. */
    takesBack: request(
      `(?:forget|never ?mind)(?: about)? (?:it|this|that|${said})${end}`,
      `forget (?:that )?i (?:said|told you) (?:it|this|that)${end}`,
      `(?:ignore|disregard|scratch) (?:this|that|${said})${end}`,
      `(?:delete|erase|remove) (?:${said}|(?:it|this|that) ${memory})${end}`,
    ),
    /** Asks not to keep the message, before or after what it says. */
    forbids: request(
      `(?:you )?(?:(?:do|must|should) not|don't|mustn't|shouldn't|no need to) (?:remember|save|store|keep|record|note) (?:it|this|that|${said})${end}`,
      "(?:(?:this|that)(?:'s| is) )?off the record$",
    ),
    /** Asks to forget what was said earlier: forget that I live in Lisbon, delete everything about my bike. */
    namesWhat: request(
      '(?:forget (?:that|about|what|everything)|stop remembering) \\S',
      '(?:delete|erase|remove) (?:what|everything)(?: that)? (?:you (?:know|remember|have)|i (?:said|told you)|about|on) \\S',
    ),
  };
}
