/**
 * How surely a name is that of a secret: `strong` even before an ordinary word, `weak` only before what looks random, `faint` only
 * before what looks like a key or a recovery phrase.
 */
export type Strength = 'strong' | 'weak' | 'faint';

/** The name of a secret in a text. */
export interface Named {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  readonly strength: Strength;
}

/** Whether a field with this name contains a secret of any form: `apiKey`, `DB_PASSWORD`, `clientSecret`. */
export function isSecretName(name: string): boolean {
  return !['faint', undefined].includes(nameStrength(name));
}

/** Judges a name by its words, whatever separates them: `DB_PASS`, `dbPass`, `db-pass`. */
export function nameStrength(name: string): Strength | undefined {
  if (name.length > MAX_NAME) return undefined;
  const words = wordsOf(name);
  while (words.length > 1 && SUFFIX.test(words.at(-1) as string)) words.pop();
  if (words.some((word) => NEGATION.has(word))) return undefined;
  const last = words.at(-1) ?? '';
  if (last === 'token' && PAGING.test(words.at(-2) ?? '')) return undefined;
  if (STRONG.test(last)) return 'strong';
  if (WEAK.test(last)) return 'weak';
  const before = words.at(-2) ?? '';
  if (last === 'key' && KEYS.test(before)) return 'weak';
  if (last === 'string' && before === 'connection') return 'strong';
  if (last === 'data' && before === 'key' && words.at(-3) === 'client') return 'strong';
  if (PHRASE.test(last) && PHRASES.test(before)) return 'strong';
  if ((last === 'key' || last === 'pat') && before !== '' && !NO_KEYS.test(before)) return 'faint';
  if (last === 'seed') return 'faint';
  return undefined;
}

const MAX_NAME = 80;
const STRONG =
  /^(?:pass|passwd|password|passphrase|passcode|pwd|pw|psk|authorization|mnemonic|requirepass|passwort|kennwort|wachtwoord|passe|senha|contrase[ñn]a|пароль|.*(?:密[码碼]|口令|パスワード|비밀번호)|.+(?:password|passwd|passphrase|passwort))$/;
const WEAK =
  /^(?:secret|token|credentials?|creds?|cookie|auth|apikey|accesskey|secretkey|privatekey|accountkey|encryptionkey|presharedkey|signingkey|.+(?:secret|token|apikey)|.*密[钥鑰])$/;
/** What makes a key a secret. A primary key, or the key of an object, is none. */
const KEYS =
  /^(?:api|access|account|app|auth|client|deploy|encryption|encrypt|fastly|hmac|jwt|license|master|network|preshared|private|root|secret|server|service|session|shared|signing|ssh|storage|webhook|wep|wifi|wpa2?)$/;
const PHRASE = /^(?:phrase|words?|codes?|mnemonic)$/;
/** What makes a phrase one that restores a wallet or an account. */
const PHRASES = /^(?:seed|recovery|backup|wallet|mnemonic|pass)$/;
/** What makes a key the place of something, or one for everybody. Any other may be the key of a service: `OPENAI_KEY`. */
const NO_KEYS =
  /^(?:bucket|cache|composite|dedupe?|foreign|group|hash|idempotency|index|lookup|map|natural|object|partition|primary|publish|publishable|query|range|routing|row|s3|shard|site|sort|surrogate|translation|unique)$/;
/** Words after the name of a secret that do not change what it is. */
const SUFFIX = /^(?:\d+|b64|base|base64|dev|live|new|old|prod|raw|staging|str|string|test|text|value)$/;
/** What makes a token the place in a list. */
const PAGING = /^(?:page|pagination|next|previous|continuation|cursor|sync)$/;
const NEGATION: ReadonlySet<string> = /* @__PURE__ */ new Set(['no', 'without', 'public', 'has', 'is']);

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
