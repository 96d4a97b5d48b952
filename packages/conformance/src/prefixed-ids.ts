/** No id begins with these. */
export const badPrefixes: readonly unknown[] = ['', 'x'.repeat(513), 'a\0b', '\ud83d', 7, null, ['a'], { $gt: '' }];

/** Ids with a common prefix: as patterns, in another case or form, and as stores may shorten them. */
export const PREFIXED: readonly string[] = [
  'a',
  'A',
  'ab',
  'a*',
  'a%',
  'a_b',
  'a\\',
  'a[b]',
  'é',
  'e\u0301',
  '💡',
  '💡\u{10ffff}',
  '\u{10ffff}\u{10ffff}',
  '\ud7ff',
  '\ue000',
  '\ufefe\ufeff',
  '\u0001',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a8058',
  '01890A5D-AC96-774B-BCCE-B302099A8057',
  '018',
  `content-${'0123456789abcdef'.repeat(4)}`,
  `content-${'0123456789abcdef'.repeat(3)}0123456789abcdee`,
  `message-${'0123456789abcdef'.repeat(4)}`,
  'content-',
  'content-zero',
];

/** No id of {@link PREFIXED} begins with these. */
export const NO_STARTS: readonly string[] = [
  '%',
  '_',
  '*',
  '.*',
  'á',
  '01890a5dac',
  'content-f',
  'CONTENT',
  'x'.repeat(512),
];

/** The first characters of a text. */
export function startOf(text: string, length: number): string {
  return Array.from(text).slice(0, length).join('');
}
