/** What a sentence says, to compare it with others: words without form and order, and what changes their sense. */
export interface Statement {
  /** The stems, and whether each is heavy: a light word can be in any statement. */
  readonly words: ReadonlyMap<string, boolean>;
  readonly heavyWords: readonly string[];
  readonly weight: number;
  /** The first two words: often who it is about, and what they do. */
  readonly head: readonly string[];
  /** Negation, change, persons and whether it asks. A difference in these is one of sense. */
  readonly marks: ReadonlySet<string>;
  /** The word after each word of direction: tea over coffee is not coffee over tea. */
  readonly directions: ReadonlyMap<string, string>;
  /** The words that look like a past, and whether they are one: "stored" is, "is stored" need not be. */
  readonly pasts: ReadonlyMap<string, boolean>;
}

const LIGHT_WEIGHT = 0.4;
/** Light words alone are no statement. */
const MIN_WEIGHT = 1;
/** A statement with so much more about other things has its own sense. */
const MIN_SHARE = 0.5;

/** A number, a character of a script without spaces, or a word and the signs that belong to it: C, C++ and C# differ. */
const TOKEN =
  /ない|ません|(?:(?<=^|\s)-)?\p{N}+(?:[.,:\/\-]\p{N}+)*|[\p{Script=Katakana}ー]+|[\p{Script=Han}\p{Script=Hiragana}]|[[\p{L}\p{M}]--[\p{Script=Katakana}\p{Script=Han}\p{Script=Hiragana}]]+(?:['’]\p{L}+)?(?:\+\+|#)?|[\p{Sc}\p{So}%<>?]/gv;
const SUFFIX =
  /(?<=.{3})(?:ations?|ments?|ings?|ied|ies|ical|ics?|icos?|icas?|ias?|an[ct]e?|ed|es|en|e|(?<![aius])s|(?<![aeiou])y)$/;
/** Names in code, in which each letter counts. */
const CODE = /\p{Ll}\p{Lu}/u;

/** Without a sense of their own, in English, German and Spanish, and in Arabic, Chinese and Japanese. */
const EMPTY = /* @__PURE__ */ words(
  'a an the this that of to in on at by for with from and or is are am be been being was were as it its i my me we our you ' +
    'your he his him she her they their them has have having had do does user users s th st nd rd who which there very really ' +
    'also currently now usually always generally just would all any each every per when via before after against use using ' +
    'keep follow get go going goe run sit tak own plac tim der die das den dem des ein eine einen einem einer ist sind hat und ' +
    'im als für nutzer nutzers nutzerin benutzer ihr ihre sein seine derzeit jeden von nach über mit sie er el la los las un ' +
    'una al del de es son tiene en con y que su sus le se como usuario usuaria actualmente sobre',
);
const EMPTY_ELSEWHERE =
  /^(?:المستخدمة?|في|من|على|هو|هي|لدى|لديها?|شخص|ユーザー|[用户的是了在有该很我他她现目前正叫和与从到はがをにでとものいるますてしだなんっ])$/;
/** What any statement can have. */
const LIGHT = /* @__PURE__ */ words(
  'like live work nam driv eat speak addres number caus person food diet cod ip team project favourit arbeitet trabaja',
);
/** Words that say the same. */
const SAME = /* @__PURE__ */ new Map(
  /* @__PURE__ */ (
    'prefer:like lov:like lik:like enjoy:like hat:like dislik:like bevorzugt:like mag:like liebt:like prefier:like gusta:like ' +
    'encanta:like cal:nam heißt:nam heisst:nam heiß:nam llama:nam favorit:favourit color:colour dail:day liv:live resid:live ' +
    'wohnt:live lebt:live vive:live يعيش:live يسكن:live fli:flight fly:flight travel:trip ' +
    'one:1 two:2 three:3 four:4 five:5 six:6 zwei:2 drei:3 dos:2 tres:3 mom:mother dad:father'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);
const NOT =
  /^(?:ない|ません|no[rt]?|never|without|cannot|hat(?:es?|ing)|dislikes?|avoid.*|.*n['’]t|instead|rather|over|than|kein.*|nicht|nie|ohne|sin|nunca|ne|pas|jamais|sans|non|não|sem|не|нет|без|niet|geen|değil|नहीं|لا|لم|لن|ليس|안|못|않.*|[不没無无未非])$/;
const PAST = /^(?:longer|anymore|former(?:ly)?|ex|stopped|quit|früher|mehr|ya)$/;
/** Whose it is, under which condition, and the half of the day. */
const OTHER =
  /^(?:wife|husband|partner|sons?|daughters?|child(?:ren)?|kids?|mother|father|mom|dad|parents|brother|sister|friends?|boss|if|unless|only|except|until|pm|\?)$/;
const DIRECTION = /^(?:of|to|from|before|after|by|with|against|von|nach|über|从|到|比)$/;
const OPPOSITES: Readonly<Record<string, string>> = {
  to: 'from',
  from: 'to',
  before: 'after',
  after: 'before',
  von: 'nach',
  nach: 'von',
};
const AUXILIARY = /^(?:is|are|am|be|been|being|was|were|has|have|had|gets?|got)$/;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** A word, without those around it. */
interface Word {
  /** In lower case, without "'s". */
  readonly plain: string;
  readonly stem: string;
  readonly isOwner: boolean;
  readonly isEmpty: boolean;
  readonly isNot: boolean;
  readonly isPast: boolean;
  readonly isDirection: boolean;
  readonly isAuxiliary: boolean;
  readonly isNumber: boolean;
  readonly looksPast: boolean;
  readonly mark: string | undefined;
}

/** The words of earlier statements: most come again. Cleared when it is full. */
const knownWords = /* @__PURE__ */ new Map<string, Word>();
const MAX_KNOWN = 4_096;
const MAX_KNOWN_LENGTH = 32;

export function readStatement(text: string): Statement {
  return statementOf(text.normalize('NFKC').match(TOKEN)?.map(readWord) ?? []);
}

function readWord(token: string): Word {
  const read = knownWords.get(token);
  if (read !== undefined) return read;
  const word = wordOf(token);
  if (knownWords.size >= MAX_KNOWN) knownWords.clear();
  if (token.length <= MAX_KNOWN_LENGTH) knownWords.set(token, word);
  return word;
}

function wordOf(token: string): Word {
  const lower = token.toLowerCase();
  const plain = lower.replace(/['’]s$/, '');
  const isNot = NOT.test(lower);
  const stem = CODE.test(token) ? plain : stemOf(plain);
  const hasSense = !isNot || /^(?:hat|dis)/.test(plain);
  return {
    plain,
    stem,
    isOwner: plain !== lower,
    isEmpty:
      plain === '?' ||
      EMPTY.has(plain) ||
      EMPTY.has(stem) ||
      EMPTY_ELSEWHERE.test(plain) ||
      PAST.test(plain) ||
      !hasSense,
    isNot,
    isPast: PAST.test(plain),
    isDirection: DIRECTION.test(plain),
    isAuxiliary: AUXILIARY.test(plain),
    isNumber: /^-?\p{N}/u.test(stem),
    looksPast: /..ed$/.test(plain) && stem !== 'nam',
    mark: OTHER.test(plain) ? plain.replace(/s$/, '') : undefined,
  };
}

function statementOf(tokens: readonly Word[]): Statement {
  const words = new Map<string, boolean>();
  const heavyWords: string[] = [];
  const marks = new Set<string>();
  const directions = new Map<string, string>();
  const pasts = new Map<string, boolean>();
  let pending: string[] = [];
  let [weight, prefers] = [0, false];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Word;
    const { plain, stem, mark } = token;
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    prefers ||= before?.plain.startsWith('prefer') === true && plain !== 'to';
    const rejects = token.isNot || (prefers && plain === 'to');
    const isAnyMore = plain === 'more' && before?.plain === 'any';
    if (rejects) marks.add('not');
    if (token.isPast || isAnyMore || isOver(plain, before, after)) marks.add('past');
    if (mark !== undefined) marks.add(mark);
    if (rejects || token.isDirection) pending.push(rejects ? 'not' : plain);
    if (token.isEmpty || isAnyMore) continue;
    // Each number counts: 5 of 5 is not 5 of 6.
    const again = token.isNumber && words.has(stem) ? '#' : '';
    const word = stem === 'want' && after?.plain !== 'to' ? 'like' : stem + again;
    if (!words.has(word)) {
      const isHeavy = !LIGHT.has(word);
      words.set(word, isHeavy);
      weight += isHeavy ? 1 : LIGHT_WEIGHT;
      if (isHeavy) heavyWords.push(word);
    }
    if (token.looksPast) pasts.set(word, before?.isAuxiliary !== true);
    if (pending.length > 0) {
      for (const direction of pending) directions.set(direction, word);
      pending = [];
    }
    if (token.isOwner) directions.set("'s", word);
  }
  const [first, second] = words.keys();
  const head = [first, second].filter((word) => word !== undefined);
  return { words, heavyWords, weight, head, marks, directions, pasts };
}

/** Whether a word of several senses says that something is no longer, or not yet. */
function isOver(word: string, before: Word | undefined, after: Word | undefined): boolean {
  if (word === 'used') return after?.plain === 'to' && before?.isAuxiliary !== true;
  if (word === 'be') return before?.plain === 'to';
  return (word === 'was' || word === 'were') && !/(?:ed|en|rn|wn)$/.test(after?.plain ?? '');
}

function stemOf(word: string): string {
  const plain = /^[\0-\x7f]*$/.test(word) ? word.replace(/,(?=\d{3})/g, '') : withoutMarks(word);
  const stem = plain.replace(SUFFIX, '').replace(/(\p{L})\1$/u, '$1');
  return SAME.get(stem) ?? stem;
}

function withoutMarks(word: string): string {
  return word
    .replace(/(?<=\p{N}),(?=\p{N}{3})/gu, '')
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize()
    .replace(/^ال/, '');
}

/** Whether a statement says nothing that another does not say. */
export function isWithin(one: Statement, other: Statement): boolean {
  if (one.weight < MIN_WEIGHT || one.weight < MIN_SHARE * other.weight) return false;
  let hasMore = false;
  for (const [word, isHeavy] of one.words) {
    if (other.words.has(word)) continue;
    if (isHeavy) return false;
    hasMore = true;
  }
  for (const [word, isHeavy] of other.words) {
    // Who it is about, or another verb: lives in Leipzig, works in Leipzig.
    if (!one.words.has(word) && (hasMore || (isHeavy && word === other.head[0]))) return false;
  }
  const hasSameMarks = one.marks.size === other.marks.size && [...one.marks].every((mark) => other.marks.has(mark));
  return hasSameMarks && !isTurned(one, other);
}

/** Whether two statements have the same words and differ in order or time. */
function isTurned(one: Statement, other: Statement): boolean {
  const isShared = (word: string | undefined) => word !== undefined && one.words.has(word) && other.words.has(word);
  for (const [direction, word] of one.directions) {
    const its = other.directions.get(direction);
    if (its === word) continue;
    if (isShared(its) && isShared(word)) return true;
    if (other.directions.get(OPPOSITES[direction] ?? '') === word) return true;
  }
  const [[who, does], [whom, did]] = [one.head, other.head];
  if (who !== whom && does === did && isShared(who) && isShared(whom)) return true;
  const differs = (a: Statement, b: Statement) =>
    [...a.pasts].some(([word, isPast]) => isPast && b.words.has(word) && !b.pasts.has(word));
  return differs(one, other) || differs(other, one);
}

/** Verbs with many objects: who likes tea may like coffee. */
const MANY = /^(?:like|eat|speak|driv)$/;

/** Whether two statements are about the same thing, such as where somebody lives: they share at least what each has alone. */
export function isAbout(one: Statement, other: Statement): boolean {
  let shared = 0;
  for (const word of one.words.keys()) if (other.words.has(word) && !MANY.test(word)) shared++;
  return shared > 0 && shared >= Math.max(one.words.size, other.words.size) - shared;
}
