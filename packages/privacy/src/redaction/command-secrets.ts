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

/** Passwords in command lines, `.netrc`, `.pgpass`, `redis.conf` and SQL. */
export function findCommandSecrets(text: string): Range[] {
  return HABITS.flatMap(([mark, pattern]) => passwordsAfter(text, mark, pattern));
}

function passwordsAfter(text: string, mark: string, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(mark); at !== -1; ) {
    pattern.lastIndex = at;
    const [whole = mark, before] = pattern.exec(text) ?? [];
    if (before !== undefined) ranges.push([at + before.length, at + whole.length]);
    at = text.indexOf(mark, at + whole.length);
  }
  return ranges;
}
