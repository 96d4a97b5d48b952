import { fold } from '../text/normalise.ts';
import { COMMON_WORDS } from './common-words.ts';
import { DETECTED_LANGUAGES, type DetectedLanguage, LATIN_LANGUAGES } from './language.ts';
import { OTHER_WORDS } from './other-languages.ts';
import { functionWordsOf } from './stop-words.ts';

/** The evidence of a token for each of `DETECTED_LANGUAGES`, in their order. */
export type Evidence = readonly number[];

/** The points of a word that only one language has. Languages that share a word share its points. */
const WORD_WEIGHT = 12;

/**
 * Spellings that are common in one language and rare in the others, with their points. Used for words that are in no list.
 */
const SPELLINGS: readonly (readonly [RegExp, readonly DetectedLanguage[], number])[] = [
  [/(?:ing|ed|ly|ness|ful|ies|ght|ck|ous|sh|wn|ay|ey)$|^wh|^th|'(?:s|t|ll|re|ve|m|d)$/, ['en'], 3],
  [/ß|[äöü]/, ['de'], 8],
  [/sch|(?:ung|ungen|keit|heit|lich|liche[nrsm]?|igen|tz|cht|chte[nt]?)$/, ['de'], 5],
  [/ij|aa[^r]|uu|ieu|sch(?:e[nr]?)?$|(?:lijk|lijke|heid|tje|tjes|eert|eren)$|(?:oo|ee).+en$/, ['nl'], 5],
  [/[èêëîûœ]|(?:eux|euse|aux|ette|ettes|tion|eur|eurs|ais|ait|aient|oir|ique|iste|ée|ées|és)$/, ['fr'], 4],
  [/ç/, ['fr', 'pt'], 8],
  [/^(?:qu|j|n|jusqu|lorsqu|puisqu)'/, ['fr'], 12],
  [/^[cdlmst]'/, ['fr', 'it'], 12],
  [/^(?:dell|all|nell|sull|dall|un|quell|quest|com|dov|anch)'/, ['it'], 12],
  [/ñ/, ['es'], 12],
  [/ll[aeo]s?$|(?:ción|ciones|iendo|ieron|aron|dad|dades|ías?|ué|ó|ez|ito|ita)$/, ['es'], 5],
  [/[ãõ]/, ['pt'], 12],
  [/(?:lh|nh)[aeo]|(?:ção|ções|dade|dades|ou|inho|inha|eira|eiro|agem|am|ei)$/, ['pt'], 4],
  [/[áíóú]/, ['es', 'pt'], 5],
  [/(?:ando|mente|aba|ado|ada|ados|adas)$/, ['es', 'pt'], 4],
  [
    /[ìò]|(?:zione|zioni|tà|gli[aeo]?|cch[aeio]|ggi[ao]?|zz[aeio]|tto|tta|tti|ssimo|ssima|ato|ati|ella|ello|iamo)$/,
    ['it'],
    4,
  ],
  [/[àù]/, ['it', 'fr'], 4],
  // Letters that none of the known languages has: of Turkish, Polish, Czech, Hungarian, Romanian, the Baltic and the
  // Nordic languages, Vietnamese.
  [/[ğışłąężźćńśřěůčďťňžőűățșţđðþåøæāēīūģķļņėįųơưǎ]|[\u1ea0-\u1ef9]/, ['none'], 12],
  [/[öü]/, ['none'], 4],
  [
    /(?:l[ae]r[ıi]|s[ıi]n[ıi]|d[ae]n|m[ae]k|y[ou]r|d[ıi]r)$|(?:szcz|cz|rz)|ää|yy|(?:een|ssa|lla|nen|issa)$/,
    ['none'],
    3,
  ],
];

/** By word: the languages that have it, as bits in the order of `DETECTED_LANGUAGES`. */
let words: ReadonlyMap<string, number> | undefined;

/** A token's evidence for the language of its text, or `undefined`. */
export function evidenceOf(token: string): Evidence | undefined {
  words ??= readWords();
  const bits = words.get(token);
  if (bits !== undefined) return ofLanguages(bits, token);
  // A short name, a number, a word cut from a script of its own.
  if (token.length < 3 || token.length > 32 || !/^[\p{Script=Latin}'-]+$/u.test(token)) return undefined;
  return bySpelling(token);
}

/** Makes no evidence for each of thousands of words, because that would stop the first search of a process. */
function readWords(): Map<string, number> {
  const wordBits = new Map<string, number>();
  for (const [place, language] of LATIN_LANGUAGES.entries()) {
    const add = (word: string) => wordBits.set(word, (wordBits.get(word) ?? 0) | (1 << place));
    for (const line of [...functionWordsOf(language), ...COMMON_WORDS[language]]) {
      for (const word of line.split(' ')) {
        add(word);
        const folded = fold(word);
        if (folded !== word) add(folded);
      }
    }
  }
  const other = 1 << LATIN_LANGUAGES.length;
  const english = 1;
  for (const word of OTHER_WORDS.flatMap((line) => line.split(' '))) {
    const bits = wordBits.get(word) ?? 0;
    if ((bits & english) === 0) wordBits.set(word, bits | other);
  }
  return wordBits;
}

/** The evidence of a word that these languages have. */
function ofLanguages(bits: number, word: string): Evidence {
  return evidenceFor(new Set(DETECTED_LANGUAGES.filter((_, place) => (bits >> place) & 1)), weightOf(word));
}

/** A single letter can be an initial, a list item or a unit. */
function weightOf(word: string): number {
  return word.length === 1 ? WORD_WEIGHT / 4 : WORD_WEIGHT;
}

function bySpelling(token: string): Evidence | undefined {
  let sum: number[] | undefined;
  for (const [spelling, languages, weight] of SPELLINGS) {
    if (!spelling.test(token)) continue;
    sum ??= DETECTED_LANGUAGES.map(() => 0);
    for (const [place, share] of evidenceFor(new Set(languages), weight).entries())
      sum[place] = (sum[place] ?? 0) + share;
  }
  return sum && shared(sum);
}

function evidenceFor(languages: ReadonlySet<DetectedLanguage>, weight: number): Evidence {
  return shared(
    DETECTED_LANGUAGES.map((language) => (languages.has(language) ? Math.ceil(weight / languages.size) : 0)),
  );
}

const all = new Map<string, Evidence>();

/** Shares equal lists, of which there are few. */
function shared(evidence: Evidence): Evidence {
  const key = evidence.join();
  const sharedEvidence = all.get(key);
  if (sharedEvidence !== undefined) return sharedEvidence;
  all.set(key, evidence);
  return evidence;
}
