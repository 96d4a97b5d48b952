import type { Range } from './range.ts';

/**
 * Where a password stands by the habits of a program, which names it with a letter at most. The first group is what comes
 * before the password. A text without the mark is not searched.
 */
const HABITS: readonly (readonly [mark: string, pattern: RegExp])[] = [
  ['curl', /(\bcurl\b[^\n|;]{0,400}?\s(?:-u|--user)[ =]?["'][^\s:"']{0,100}:)[^"'\n]+/g],
  ['curl', /(\bcurl\b[^\n|;]{0,400}?\s(?:-u|--user)[ =]?[^\s:"']{0,100}:)[^\s"']+/g],
  ['sshpass', /(\bsshpass\s+-p\s*["']?)[^\s"']+/g],
  ['mysql', /(\bmysql(?:dump|admin)?\b[^\n|;]{0,200}?\s-p["']?)[^\s"']+/g],
  ['mariadb', /(\bmariadb\b[^\n|;]{0,200}?\s-p["']?)[^\s"']+/g],
  ['login', /(\blogin\b[^\n|;]{0,200}?\s-p\s+["']?)[^\s"']+/g],
  ['login', /(\blogin\s+\S{1,100}\s+password\s+["']?)[^\s"']+/g],
  ['redis-', /(\bredis-(?:cli|benchmark)\b[^\n|;]{0,200}?\s-a\s+["']?)[^\s"']+/g],
  ['pass:', /(-pass(?:in|out)?\s+pass:)[^\s"']+/g],
  ['requirepass', /(\brequirepass\s+["']?)[^\s"']{4}[^\s"']*/g],
  ['masterauth', /(\bmasterauth\s+["']?)[^\s"']{4}[^\s"']*/g],
  ['IDENTIFIED', /(\bIDENTIFIED\s+(?:WITH\s+\w+\s+)?(?:BY|AS)\s+["'])[^"'\n]+/g],
  ['identified', /(\bidentified\s+(?:with\s+\w+\s+)?(?:by|as)\s+["'])[^"'\n]+/g],
  // The look-behind comes after a colon, because it costs more.
  [
    ':',
    /(:(?<=(?:^|\n)(?:\s*[-*] )?[\w.*-]{1,100}:)(?:\d{2,5}|\*):[\w*-]{1,63}:[\w*-]{1,63}:)[^\s:]{4}[^\s:]*(?=\n|$)/g,
  ],
];

/** Passwords in command lines, `.netrc`, `.pgpass`, `redis.conf` and SQL. */
export function findCommandSecrets(text: string): Range[] {
  return HABITS.filter(([mark]) => text.includes(mark)).flatMap(([, pattern]) =>
    [...text.matchAll(pattern)].map(
      ({ 0: whole, 1: before = '', index }): Range => [index + before.length, index + whole.length],
    ),
  );
}
