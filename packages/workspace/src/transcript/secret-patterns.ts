/** The form of a secret. */
interface SecretPattern {
  /** The source of the form. */
  readonly source: string;
  readonly pattern: RegExp;
  /** The parts to keep, by the groups of the pattern. */
  readonly keep?: (groups: readonly string[]) => readonly [before: string, after: string];
}

const NAME = String.raw`\b[\w-]{0,40}?(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|credentials?)[\w-]{0,20}`;

/**
 * Secrets that secretlint's rules miss: they are made for source code, expect more context, or consider examples harmless.
 * Each pattern runs in time linear in the text.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    source: 'RFC 7468, textual encodings of keys; also where it was cut, or its line breaks are escaped',
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  },
  { source: 'RFC 7519, JSON Web Token, in its compact form', pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g },
  {
    source: 'RFC 6750 and RFC 7617, bearer and basic credentials',
    pattern: /\b(bearer|basic)(\s{1,4})[A-Za-z0-9._~+/-]{16,}={0,2}/gi,
    keep: ([scheme = '', space = '']) => [`${scheme}${space}`, ''],
  },
  {
    source: 'RFC 3986, section 3.2.1: user information in a URL, as connection strings have it',
    pattern: /\b([a-z][a-z0-9+.-]{1,30}:\/\/)[^\s:@/"'<>]{0,200}:[^\s@/"'<>]{1,200}@/gi,
    keep: ([scheme = '']) => [scheme, '@'],
  },
  {
    source: 'AWS Identity and Access Management, unique identifiers: access key ids',
    pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g,
  },
  { source: 'gitleaks, gcp-api-key', pattern: /\bAIza[\w-]{35}/g },
  { source: 'gitleaks, telegram-bot-api-token', pattern: /\b\d{8,10}:AA[\w-]{33}\b/g },
  { source: 'OpenAI and those who copied its prefix: secret keys', pattern: /\bsk-[A-Za-z0-9][\w-]{18,}[A-Za-z0-9]/g },
  {
    source: 'gitleaks, generic-api-key: something named like a secret that is given a value in quotes',
    pattern: new RegExp(`(${NAME}\\\\?["']?\\s{0,4}(?:=>|[:=])\\s{0,4}\\\\?)(["'\`])[^"'\`\\\\\\n]{4,500}`, 'gi'),
    keep: ([name = '', quote = '']) => [`${name}${quote}`, ''],
  },
  {
    source: 'gitleaks, generic-api-key: the same without quotes, where the value has a digit',
    pattern: new RegExp(`(${NAME}["']?\\s{0,4}[:=]\\s{0,4})(?=[^\\s"'\`,;&)]{0,80}\\d)[^\\s"'\`,;&)\\\\]{8,500}`, 'gi'),
    keep: ([name = '']) => [name, ''],
  },
];

/** Whether a field with this name contains a secret of any form: `apiKey`, `DB_PASSWORD`, `clientSecret`. */
export function isSecretField(name: string): boolean {
  return WHOLE_NAME.test(name) || CAMEL_CASE.test(name);
}

const WHOLE_NAME =
  /^(?:.*[_-])?(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|cookie|credentials?|connection[_-]?string)$/i;
const CAMEL_CASE =
  /[a-z0-9](?:Password|Passphrase|Secret|Token|ApiKey|AccessKey|PrivateKey|Credentials?|ConnectionString)$/;
