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
export function asksToForget(text: string): boolean {
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
    "(?:(?:and|but|so|then|now|oh|oops|ok|okay|well|no|sorry|actually|please|just|(?:can|could|would|will) you|you (?:can|may)|i (?:want|need) you to|i(?:'d| would) like you to) )*";
  const memory = 'from (?:your |the )?(?:memory|memories|notes)';
  const end = `(?: (?:all|again|now|please|then|afterwards|ok|okay|right away|immediately|for good|${memory}))*`;
  const saying =
    "(?:what|everything|anything|all)(?: that)? i(?:'ve| have)? (?:just )?(?:said|told you|wrote|typed|mentioned)";
  const said = `(?:${saying}|(?:my|the|this) (?:last |previous )?(?:message|line|sentence|thing))`;
  const not = "(?:(?:you )?(?:(?:do|must|should) not|don't|mustn't|shouldn't)(?: (?:have|need) to)?|no need to)";
  const request = (endOfAll: string, ...alternatives: readonly string[]) =>
    new RegExp(`^${polite}(?:${alternatives.join('|')})${endOfAll}`);
  return {
    /** Asks not to keep what was said before. */
    takesBack: request(
      `${end}$`,
      `(?:forget|never ?mind)(?: about)? (?:it|this|that|${said})`,
      'forget (?:that )?i (?:ever )?(?:said|told you|mentioned) (?:it|this|that|anything)',
      `(?:ignore|disregard|scratch|strike) (?:this|that|${said})`,
      `(?:delete|erase|remove|drop|discard) (?:${said}|(?:it|this|that) ${memory})`,
    ),
    /** Asks not to keep the message, before or after what it says. */
    forbids: request(
      `${end}$`,
      `${not} (?:remember|save|store|keep|record|note|memori[sz]e|write down|log) (?:it|this|that|any of (?:it|this|that)|${said})`,
      "(?:(?:this|that)(?:'s| is) )?(?:strictly )?off the record",
    ),
    /** Asks to forget what was said earlier: forget that I live in Lisbon, delete everything about my bike. */
    namesWhat: request(
      ' \\S',
      '(?:forget|unlearn) (?:that|about|what|everything|anything)',
      'stop remembering',
      '(?:delete|erase|remove|wipe) (?:what|everything|anything)(?: that)? (?:you (?:know|remember|have)|i (?:said|told you)|about|on)',
    ),
  };
}
