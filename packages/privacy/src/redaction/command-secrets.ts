import type { Range } from './range.ts';

/**
 * Where a password stands by the habits of a program, which names it with a letter at most. Each pattern begins with its mark;
 * its first group is what comes before the password. What may lie between ends at the next `curl`, or a text of nothing else
 * would be read 400 times.
 */
const HABITS: readonly (readonly [mark: string, pattern: RegExp])[] = [
  ['curl', /(\bcurl\b(?:(?!\bcurl\b)[^\n|;]){0,400}?\s(?:-u|--user)[ =]?["'][^\s:"']{0,100}:)[^"'\n]+/y],
  ['curl', /(\bcurl\b(?:(?!\bcurl\b)[^\n|;]){0,400}?\s(?:-u|--user)[ =]?[^\s:"']{0,100}:)[^\s"']+/y],
  ['sqlplus', /(\bsqlplus\s+(?:-\w+\s+){0,4}[^\s/@]{1,100}\/)[^\s@"']+/y],
  ['jdbc:oracle:', /(jdbc:oracle:\w+:[^\s/@:]{1,100}\/)[^\s@"']+/y],
  ['sqlcmd', /(\bsqlcmd\b[^\n|;]{0,200}?\s-P\s*["']?)[^\s"']+/y],
  ['mongo', /(\bmongo(?:sh|dump|restore|export|import)?\b[^\n|;]{0,200}?\s-p\s*["']?)[^\s"'-][^\s"']*/y],
  ['ldap', /(\bldap(?:search|modify|add|delete|whoami)\b[^\n|;]{0,200}?\s-w\s*["']?)[^\s"']+/y],
  ['smbclient', /(\bsmbclient\b[^\n|;]{0,200}?\s-U\s*["']?[^\s"'%]{1,100}%)[^\s"']+/y],
  ['htpasswd', /(\bhtpasswd\s+-\w*b\w*\s+\S{1,200}\s+\S{1,100}\s+["']?)[^\s"']+/y],
  ['7z', /(\b7za?\b[^\n|;]{0,200}?\s-p["']?)[^\s"']+/y],
  ['zip', /(\bzip\b[^\n|;]{0,200}?\s-P\s*["']?)[^\s"']+/y],
  ['ConvertTo-SecureString', /(\bConvertTo-SecureString\s+(?:-String\s+)?["'])[^"'\n]+/y],
  ['sshpass', /(\bsshpass\s+-p\s*["']?)[^\s"']+/y],
  ['mysql', /(\bmysql(?:dump|admin)?\b[^\n|;]{0,200}?\s-p["']?)[^\s"']+/y],
  ['mariadb', /(\bmariadb\b[^\n|;]{0,200}?\s-p["']?)[^\s"']+/y],
  ['login', /(\blogin\b[^\n|;]{0,200}?\s-p\s+["']?)[^\s"']+/y],
  ['login', /(\blogin\s+\S{1,100}\s+password\s+["']?)[^\s"']+/y],
  ['redis-', /(\bredis-(?:cli|benchmark)\b[^\n|;]{0,200}?\s-a\s+["']?)[^\s"']+/y],
  ['-pass', /(-pass(?:in|out)?\s+pass:)[^\s"']+/y],
  ['requirepass', /(\brequirepass\s+["']?)[^\s"']{4}[^\s"']*/y],
  ['masterauth', /(\bmasterauth\s+["']?)[^\s"']{4}[^\s"']*/y],
  ['IDENTIFIED', /(\bIDENTIFIED\s+(?:WITH\s+\w+\s+)?(?:BY|AS)\s+')(?!'(?!'))[^'\n]*(?:''[^'\n]*){0,40}/y],
  ['IDENTIFIED', /(\bIDENTIFIED\s+(?:WITH\s+\w+\s+)?(?:BY|AS)\s+")(?!"(?!"))[^"\n]*(?:""[^"\n]*){0,40}/y],
  ['identified', /(\bidentified\s+(?:with\s+\w+\s+)?(?:by|as)\s+')(?!'(?!'))[^'\n]*(?:''[^'\n]*){0,40}/y],
  ['identified', /(\bidentified\s+(?:with\s+\w+\s+)?(?:by|as)\s+")(?!"(?!"))[^"\n]*(?:""[^"\n]*){0,40}/y],
  // The look-behind comes last, because it costs more.
  [
    ':',
    /(:(?=(?:\d{2,5}|\*):)(?<=(?:^|\n)(?:\s*[-*] )?[\w.*-]{1,100}:)[\d*]{1,5}:[\w*-]{1,63}:[\w*-]{1,63}:)[^\s:]{4}[^\s:]*(?=\n|$)/y,
  ],
];

const MARKS = /* @__PURE__ */ new Map(
  /* @__PURE__ */ HABITS.map(([mark]) => [
    mark,
    HABITS.filter(([other]) => other === mark).map(([, pattern]) => pattern),
  ]),
);
/** In one pattern, because looking for each mark takes twice as long. */
const ANY_MARK = /* @__PURE__ */ new RegExp([...MARKS.keys()].join('|'), 'g');

/** Passwords in command lines, `.netrc`, `.pgpass`, `redis.conf` and SQL. */
export function findCommandSecrets(text: string): Range[] {
  const ranges: Range[] = [];
  // Behind what a pattern has read, so that it reads nothing twice.
  const next = new Map<RegExp, number>();
  ANY_MARK.lastIndex = 0;
  for (let match = ANY_MARK.exec(text); match !== null; match = ANY_MARK.exec(text)) {
    const { 0: mark, index } = match;
    for (const pattern of MARKS.get(mark) ?? []) {
      if (index < (next.get(pattern) ?? 0)) continue;
      pattern.lastIndex = index;
      const [whole, before] = pattern.exec(text) ?? [];
      if (whole === undefined || before === undefined) continue;
      next.set(pattern, index + whole.length);
      ranges.push([index + before.length, index + whole.length]);
    }
  }
  return ranges;
}
