import { isPhrase } from './phrases.ts';
import { isSecretName, type Strength } from './secret-names.ts';

/** How many characters of a value tell whether it is harmless or random. All of a long one, for each name in it, would take long. */
export const JUDGED = 201;

/**
 * Whether a value is certainly no secret: a placeholder, a type, a variable, code, or a count. Variables and types without
 * quotes are often named like what they hold: `password: Password`, `token=auth_token`. Not what is assigned in a shell.
 */
export function isHarmless(value: string, strength: Strength, written: 'quoted' | 'bare' | 'assigned'): boolean {
  if (OPENING.test(value) || (value.length < JUDGED && PLACEHOLDER.test(value))) return true;
  if (strength === 'faint' && !looksLikeKey(value.slice(0, JUDGED)) && !isPhrase(value)) return true;
  if (strength === 'weak' && PATH.test(value)) return true;
  if (strength === 'weak' && (/^\d{1,9}$/.test(value) || /\s/.test(value))) return true;
  if (written === 'quoted') return false;
  if (CALL.test(value) && !(written === 'assigned' && /^\w*\d\w*[({]/.test(value))) return true;
  return CODE.test(value) || TYPE.test(value) || (written === 'bare' && VARIABLE.test(value) && isSecretName(value));
}

/** Whether it is long and mixed enough to be no word: 8 characters, with a digit. */
export function looksRandom(value: string): boolean {
  return value.length >= 8 && /\d/.test(value) && !KIND.test(value);
}

/** `ERC20-like` */
const KIND = /^[A-Z]{2,6}-?\d{1,5}(?:-[a-z]{2,20}){1,3}[.,;!?)]*$/;

/** Whether it has a long run of letters and digits, or of letters in both cases, as only keys have. */
function looksLikeKey(value: string): boolean {
  if (/[^\w+/=.~:-]/.test(value)) return false;
  return value.split(/[^A-Za-z0-9]+/).some(isRandomRun);
}

function isRandomRun(run: string): boolean {
  if (run.length < 12 || /^[a-z]+(?:19|20)\d{2,6}$/i.test(run)) return false;
  const count = (pattern: RegExp) => run.match(pattern)?.length ?? 0;
  return (count(/\d/g) >= 3 && count(/[A-Za-z]/g) >= 3) || (run.length >= 20 && count(/[a-z][A-Z]/g) >= 4);
}

/** Whether two neighbours in a list are words like all others there, such as tags or names of fields. */
export function areWords(name: string, value: string): boolean {
  return value.length <= MAX_WORD && WORD.test(name) && WORD.test(value) && !HEADER.test(name);
}

/** Each letter fits one place of the pattern only, or a long word would take for ever. */
const WORD = /^(?:[A-Z][a-z]+|[a-z]+)(?:[A-Z][a-z]+|[ _-](?:[A-Z][a-z]+|[a-z]+))*$/;
const MAX_WORD = 60;
const HEADER = /^(?:proxy-)?authorization$|cookie$/i;
/** Of the file that holds a key. */
const PATH = /^(?:~|\.{1,2})?(?:\/[a-z_.-]{2,30})+\/[\w.-]{1,80}$/;
const PLACEHOLDER =
  /^(?:[*x•.]{3,}|<.*>|%.*%|\$[A-Za-z_]\w*|your[\w\s-]*|\.\.\.|null|undefined|none|nil|true|false|required|optional|inherit|include|omit|same-origin|current-password|new-password|string|number|boolean|any|unknown|never|object)$/i;
/** Of a list, a template such as `{{ password }}`, `${PASSWORD}` and `$(cat file)`. */
const OPENING = /^(?:\[|\{\{|\$[{(])/;
const CODE =
  /^(?:await|new|return|function|async|typeof|process\.|import\.|os\.|env\.|ENV\b|req\.|request\.|res\.|response\.|this\.|self\.|config\.|settings\.|options\.|props\.|ctx\.|context\.|args\.|params\.|data\.|user\.|secrets\.|var\.|local\.|module\.|std::)|=>|\?\.|^[a-z]+\[\d+$/;
/** In code, the name of a variable has capitals, underscores or dots, or is short: `authToken`, `token`. */
const VARIABLE = /^(?:[A-Za-z_$][A-Za-z_$.]*[A-Z_.$][A-Za-z_$.]*|[A-Z][A-Za-z]*|[a-z]{1,10})$/;
const CALL = /[({]/;
const TYPE = /^(?:String|str|int|bool|bytes)$/;
