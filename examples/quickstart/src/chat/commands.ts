import { sentencesOf } from './sentences.ts';
import { SMALL_TALK } from './small-talk.ts';

/** What the user tells the chat itself to do. */
export type Command =
  | { readonly type: 'help' | 'exit' | 'delete everything' | 'recount' }
  /** Removes what the user said about something. */
  | { readonly type: 'forget'; readonly about: string }
  /** Removes what the user said before. */
  | { readonly type: 'forget last' }
  /** This line is stored nowhere. */
  | { readonly type: 'off the record' };

const HELP = /^(?:help|commands|\?|\/help|--help|what can (?:you|i) (?:do|say))$/iu;
const EXIT = /^(?:exit|quit|bye|good ?bye|q|:q|\/exit|\/quit)$/iu;
const EVERYTHING =
  /^(?:delete|forget|erase|remove|wipe|clear) (?:everything|all|it all|all (?:of )?(?:it|this)|(?:all )?(?:my|your|the) (?:data|memory|memories)|all memories|(?:everything|all) (?:that )?(?:you (?:know|remember)(?: about me)?|i (?:said|told you)))$/iu;
const RECOUNT =
  /^(?:what (?:do|did|can) you (?:know|remember|recall)(?: about me| of me)?|what have i (?:said|told you)|what do you have (?:about|on) me|show (?:me )?(?:everything|all|(?:all )?(?:my|your) (?:memory|memories))|list (?:everything|(?:all )?(?:my|your) memories))$/iu;
const SAID = '(?:this|that|what i (?:just )?(?:said|told you)|the last (?:one|message|thing))';
const LAST = new RegExp(
  `^(?:${[
    `(?:do not|don['’]?t) (?:remember|save|store|keep|record) (?:it|${SAID})`,
    `(?:forget(?: about)?|delete|remove|scratch|ignore|never ?mind) ${SAID}`,
    'forget (?:that )?i (?:said|told you|mentioned) (?:it|this|that|anything)',
  ].join('|')})$`,
  'iu',
);
/** At the end of a line, it means what the line says before. At the beginning, it means something earlier. */
const IT = /^(?:forget(?: about)?|never ?mind) it$/iu;
const CLAUSE = /[,;:]\s+|\s[-–—]+\s/u;
/** Says when to do something, and does not ask for it now. */
const CONDITION = /^(?:if|when|whenever|once|unless|until|after|before|in case)\b/iu;
const NEXT = /^(?:(?:do not|don['’]?t) (?:remember|save|store|keep|record)\b|(?:this is )?off the record\b)/iu;
const REMOVE = '(?:forget|delete|remove|erase|wipe|drop|discard|clear|get rid of)';
const ABOUT = [
  `${REMOVE} (?:what|everything|all|anything)(?: that)?(?: (?:you (?:know|remember|have)|i (?:said|told you)))? (?:about|of|on) (.+)`,
  `${REMOVE} (?:the |your |my |all )*(?:memor(?:y|ies)|notes?|facts?) (?:about|of|on) (.+)`,
  `${REMOVE} (.+) from (?:your |the )?(?:memory|memories|notes)`,
  "(?:stop remembering|(?:do not|don['’]?t) remember) (.+) any ?(?:more|longer)",
  '(?:stop remembering|unlearn) (.+)',
  'never ?mind what i (?:said|told you) about (.+)',
  'forget (?:what i (?:said|told you) about |about |that )?(.+)',
].map((pattern) => new RegExp(`^${pattern}$`, 'iu'));
/** What makes a command polite. */
const POLITE =
  /^(?:please|now|ok|okay|and|but|so|then|just|(?:can|could|would|will) you|you (?:can|may|should)|i (?:want|need) you to|i(?:['’]d| would) like you to),? /iu;

/** The command in a line; `undefined` if it is something to answer. */
export function commandIn(line: string): Command | undefined {
  const spoken = sentencesOf(line)
    .map((sentence) => sentence.replace(/[.!?…]+$/u, ''))
    .map(plain);
  const [first = '', ...others] = spoken.flatMap(clausesOf);
  if (others.some((clause) => LAST.test(clause) || IT.test(clause))) return { type: 'off the record' };
  if (spoken.length > 1 && LAST.test(first)) return { type: 'off the record' };
  if (spoken.length === 1 && others.length > 0 && IT.test(first)) return undefined;
  const [only = '', ...more] = spoken.length > 1 ? spoken.filter((said) => !SMALL_TALK.test(said)) : spoken;
  return more.length === 0 ? commandOf(only || line.trim()) : undefined;
}

/** A sentence without what makes it polite. */
function plain(sentence: string): string {
  return sentence
    .replace(/,? (?:please|now|again)$/iu, '')
    .replace(POLITE, '')
    .replace(POLITE, '');
}

function clausesOf(sentence: string): string[] {
  return CONDITION.test(sentence) ? [sentence] : sentence.split(CLAUSE).map(plain);
}

function commandOf(said: string): Command | undefined {
  if (HELP.test(said)) return { type: 'help' };
  if (EXIT.test(said)) return { type: 'exit' };
  if (EVERYTHING.test(said)) return { type: 'delete everything' };
  if (RECOUNT.test(said)) return { type: 'recount' };
  if (LAST.test(said)) return { type: 'forget last' };
  const about = SMALL_TALK.test(said) ? undefined : ABOUT.map((one) => one.exec(said)?.[1]).find(Boolean);
  if (about !== undefined) return { type: 'forget', about };
  return NEXT.test(said) ? { type: 'off the record' } : undefined;
}

export const HELP_TEXT = `Tell me something, and I remember it, even after a restart. Ask me about it in your own words.
  forget about my bike    removes what you told me about your bike, and asks if that is more than one thing
  don't remember this     removes what you said last
  off the record: ...     is not stored
  what do you know?       shows what you told me last
  delete everything       removes all memories and conversations of this chat, and asks first
  help                    shows this
  exit                    ends, as Ctrl-D does`;
