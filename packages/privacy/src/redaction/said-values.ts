import type { Range } from './range.ts';
import type { Named } from './secret-names.ts';

/** What has a value in a sentence. `pass` may be a verb. */
const NOUN =
  /(?:password|passwd|passphrase|passcode|pwd|pw|mnemonic|phrase|pass (?:phrase|word|code)|passwort|kennwort|wachtwoord|senha|contrase[ñn]a|пароль|密[码碼]|口令|パスワード|비밀번호)$/i;

/** Between a name and what is said of it: ` (admin)`, ` for the server`. */
const BRACKETS =
  /[*_`]{0,3}(?: [([]|[（【])[^()[\]（）【】\n]{1,40}[)\]）】](?=\*{0,3}\s{0,4}[:=：＝–—-]| (?:is|was|has|will) )/y;
const WHOSE =
  /[*_`]{0,3} (?:for|of|on|to|at|in|from|I|we|you|that) (?:[\w@.'’/&-]{1,40} ){0,5}?[\w@.'’/&-]{1,40}(?=\*{0,3}\s{0,2}[:=：＝]\*{0,3}\s| (?:is|was|has|will|should) )/y;

/** What a value is made of or how long it is: `ERC20-like`, `SHA256-hashed`, `12 characters`. */
const KIND =
  '(?![\\w.-]{0,60}-(?:\\w{1,30}ed|like|based|only|free|safe|style|able|aware|bound|specific|compatible|compliant|ready|friendly|bit|byte|char|character|digit|letter|word)s?\\b|\\d{1,3}(?:[–-]\\d{1,3})?\\+? |(?:sha|md|base|utf|hs|rs|erc|aes|rsa|oauth|argon|pbkdf|pkcs|iso|rfc|bcrypt)[-_]?\\d{1,5}(?![A-Za-z0-9]{6}))';
/** A word says something about the password: "The password is wrong." */
const WORD_ABOUT =
  '(?!(?:wrong|weak|strong|secure|safe|correct|incorrect|valid|invalid|empty|blank|unknown|unique|different|short|simple|complex|random|longer|shorter|enough|good|great|better|public|private|plain|gone|known|case|kept|lost|sent|stored|there|here|the|always|never|something|anything|nothing|must|should|cannot|please|leave|default|string|number|characters?)\\b|[\\w-]*(?:ed|ing|ble|ful|less|ory|al|ive|ly|en|ous|ic|ent|ant|ith)\\b)';
const ONE_WORD = `${KIND}${WORD_ABOUT}(?=[\\w!@#$%^&*+-]{6,80}(?:[.,;!?)]*(?:\\n|$)|[.,;!?)]+\\s| (?:and|but|for|on)\\b))`;
const WITH_DIGIT = `${KIND}(?=["'\`]|\\S{0,80}\\d)`;
/** Four words and more, none of which sentences need. */
const OF_SENTENCES =
  '(?!(?:the|and|for|that|this|with|not|you|your|our|are|was|has|have|had|will|can|must|should|may|might|but|from|into|when|where|which|who|why|how|all|any|every|each|some|only|also|too|very|still|until|after|before|because|than|then|there|here|its|their|what|been|does|did|use|using|set|sent|required|needed|kept|never|always|once|again|now|later|about|over|under|between|per|via|case|random|several|words?|characters?)\\b)';
const PHRASE = `(?![\\w]*(?:ed|ly|ing)\\b)((?:${OF_SENTENCES}[a-z]{3,10} ){3,23}${OF_SENTENCES}[a-z]{3,10})(?=[.!?,;)]|\\s*$|\\n)`;

/** What leads to a value, alone and before each kind of value. */
interface Verb {
  readonly start: RegExp;
  readonly phrase: RegExp;
  readonly digit: RegExp;
  readonly word: RegExp;
}

const SAYS = /* @__PURE__ */ verb(
  '[*_`]{0,3} (?:(?:is|was)(?: (?:now|still|currently|just))?|(?:is|was|has been|have been|got) (?:now )?(?:re)?(?:set|changed|updated|reset) to|(?:will|should|shall|must) be|to):? ',
);
const EQUALS = /* @__PURE__ */ verb('\\*{0,3}\\s{0,4}(?:[:=：＝]|[=-]>|[–—-](?= ))\\*{0,3}\\s{0,4}');

function verb(start: string): Verb {
  const before = (value: string) => new RegExp(start + value, 'y');
  return { start: before(''), phrase: before(PHRASE), digit: before(WITH_DIGIT), word: before(ONE_WORD) };
}

/** A password with letters and digits behind its name: `with password hunter22`. */
const NEXT = /* @__PURE__ */ new RegExp(
  ` ${KIND}(?=[^\\s\\d]{0,60}\\d)(?=[^\\sA-Za-z]{0,60}[A-Za-z])(?=[^\\s,;:()]{6,80}(?:[\\s,;!?)]|$))`,
  'y',
);
const BEFORE_NEXT =
  /\b(?:with|use|using|enter|type|try|by|and|(?:user|username|login|account) \S{1,60},?) (?:(?:the|my|your|this|new|old|same|admin|root) ){0,3}$/i;

/** `hunter22 is the password`, `hunter22 as password` */
const BEFORE =
  /(?:^|[\s"'`(])([^\s"'`(),;:]{6,80})["'`]? (?:is|was|as|for) (?:(?:the|my|your|our|his|her|their|a|new) ){0,2}(?:[a-z]{1,20} ){0,1}$/i;
const AFTER_BEFORE = /["'`]?(?:[.,;!?)\n]|$| (?:for|to|on|of|and|when|in)\b)/y;
const IS_KIND = /* @__PURE__ */ new RegExp(`^${KIND}`);

/** The value of a secret in a sentence or a label, or where it begins if its own form tells where it ends. */
export function findSaid(text: string, named: Named): Range | number | undefined {
  const isNoun = named.strength === 'strong' && NOUN.test(named.name);
  const isVerb = /^pass$/i.test(named.name);
  return (
    saidAt(text, named.end, named, SAYS) ??
    saidBehind(text, endOf(BRACKETS, text, named.end), named) ??
    saidBehind(text, isVerb ? undefined : endOf(WHOSE, text, named.end), named) ??
    (isNoun ? besideName(text, named) : undefined)
  );
}

function saidBehind(text: string, at: number | undefined, named: Named): Range | number | undefined {
  return at === undefined ? undefined : (saidAt(text, at, named, SAYS) ?? saidAt(text, at, named, EQUALS));
}

function saidAt(text: string, at: number, { name, strength }: Named, { start, phrase, digit, word }: Verb) {
  if (endOf(start, text, at) === undefined) return undefined;
  phrase.lastIndex = at;
  const words = strength === 'strong' && NOUN.test(name) ? phrase.exec(text)?.[1] : undefined;
  if (words !== undefined) return [phrase.lastIndex - words.length, phrase.lastIndex] as const;
  return endOf(digit, text, at) ?? (strength === 'strong' ? endOf(word, text, at) : undefined);
}

/** A value with a digit right before or after its name. */
function besideName(text: string, { begin, end }: Named): Range | number | undefined {
  const before = text.slice(Math.max(0, begin - 140), begin);
  if (BEFORE_NEXT.test(before.slice(-120))) {
    const at = endOf(NEXT, text, end);
    if (at !== undefined) return at;
  }
  if (endOf(AFTER_BEFORE, text, end) === undefined) return undefined;
  const [whole = '', value = ''] = BEFORE.exec(before) ?? [];
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || !IS_KIND.test(value)) return undefined;
  const from = begin - whole.length + whole.indexOf(value);
  return [from, from + value.length];
}

/** Where a value goes on to the end of the line or field, as a passphrase does: `password: correct horse battery`. */
export function endOfPassphrase(text: string, at: number, named: Named): number | undefined {
  if (named.strength !== 'strong' || !assigns(text, at, named)) return undefined;
  LINE.lastIndex = at;
  const [line = ''] = LINE.exec(text) ?? [];
  const words = line.split(/[ \t]+/);
  if (words.length < 2 || words.length > MAX_WORDS || ABOUT.test(line)) return undefined;
  const isNoun = NOUN.test(named.name);
  const isWhole = (words[0] as string).length >= 4 || (words.length > 2 && isNoun && words.every(isWord));
  return isWhole ? LINE.lastIndex : undefined;
}

/** Whether a name begins a line or a field, and a mark follows that no other value of a command may follow. */
function assigns(text: string, at: number, { name, begin, end }: Named): boolean {
  const before = FIELD.exec(text.slice(Math.max(0, begin - 80), begin));
  if (before === null) return false;
  const isAlone = before[1] === undefined;
  const mark = text.slice(end, at);
  // Behind `DB_PASSWORD=…` a command may follow, and `First pass: …` is no password.
  if (/^=$/.test(mark)) return isAlone && NOUN.test(name) && (/^[A-Za-z]*[a-z]/.test(name) || /phrase$/i.test(name));
  return MARK.test(mark) && (isAlone || !/^pass$/i.test(name));
}

const MAX_WORDS = 12;
const MARK = /(?:[:=＝][*_]{0,3}[ \t]{1,4}|：|\|[ \t]{0,40}|>)[*_]{0,3}$/;
const LINE_WORD = "(?:[^\\s\"'`,;<>\\\\|#()[\\]{}]|(?<=[A-Za-z])'(?=[A-Za-z])){1,60}";
const LINE = /* @__PURE__ */ new RegExp(
  `${LINE_WORD}(?:[ \\t]{1,2}(?![\\w.-]{1,40}\\s?[:=：＝]|--?\\w|[/–—|-](?:\\s|$))${LINE_WORD}){0,${MAX_WORDS}}`,
  'y',
);
const isWord = (word: string) => /^[\p{L}\d][\p{L}\d'’!?.$@-]*$/u.test(word);
/** Of a sentence about passwords. */
const ABOUT =
  /[!=]==? |&& |\|\| |^(?:at|see|ask|not|use|set|get|if|for|to|in|on|is|was|and|or|via|as|by|from|with|when|only) |\b(?:must|should|cannot|can't|needs?|requires?|required|optional|at least|characters?|chars|digits|passwords?|passphrase|please|stored|hashed|encrypted|your|empty|default|minimum|maximum|generated|changed|incorrect|invalid|expired)\b/i;

/** The beginning of a line or a field, and a few words at most: `Admin password`. */
const FIELD = /(?:^|[\n,;|({<>/]|\\[nrt])[ \t]*(?:[-*+•>] |\d{1,3}[.)] )?[*_"'`]{0,3}((?:[\w'’-]{1,20} ){1,3})?$/;

function endOf(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}
