/*
 * Ids are the longest part of many records. Ids that Keepsake generates are stored as the bytes that they spell, after a NUL
 * and the number of their form. No other id begins with a NUL, and all others are stored as they are.
 */

interface Form {
  readonly prefix: string;
  /** The lengths of the groups of hexadecimal digits, which hyphens separate. */
  readonly groups: readonly number[];
}

/** Their numbers are stored, so only ever add to the end. */
const FORMS: readonly Form[] = [
  { prefix: '', groups: [8, 4, 4, 4, 12] },
  { prefix: 'content-', groups: [64] },
  { prefix: 'message-', groups: [64] },
];

const PATTERNS = FORMS.map(
  ({ prefix, groups }) => new RegExp(`^${prefix}${groups.map((length) => `([0-9a-f]{${length}})`).join('-')}$`),
);

/** Packs an id into bytes. No two ids have the same. */
export function packId(id: string): Buffer {
  for (const [form, pattern] of PATTERNS.entries()) {
    const digits = pattern.exec(id)?.slice(1).join('');
    if (digits !== undefined) return Buffer.concat([Buffer.of(0, form), Buffer.from(digits, 'hex')]);
  }
  return Buffer.from(id);
}

/** The inverse of {@link packId}. */
export function unpackId(packed: Buffer): string {
  const { prefix, groups } = FORMS[packed[0] === 0 ? (packed[1] as number) : -1] ?? { prefix: '', groups: undefined };
  if (groups === undefined) return packed.toString();
  const hyphenated = groups.reduce(
    ({ text, left }, length) => ({ text: `${text}-${left.slice(0, length)}`, left: left.slice(length) }),
    { text: '', left: packed.toString('hex', 2) },
  );
  return prefix + hyphenated.text.slice(1);
}

/** The prefixes of packed ids: exactly the ids that begin with `idPrefix` have one of these when packed. */
export function packedPrefixes(idPrefix: string): Buffer[] {
  const packed = FORMS.flatMap(({ prefix, groups }, form) => {
    const shape = prefix + groups.map((length) => '#'.repeat(length)).join('-');
    const fits = Array.from(idPrefix, (character, at) =>
      shape[at] === '#' ? /[0-9a-f]/.test(character) : shape[at] === character,
    );
    if (fits.includes(false)) return [];
    const digits = Array.from(idPrefix)
      .filter((_, at) => shape[at] === '#')
      .join('');
    // Half a byte can be the first half of 16 bytes.
    const ends = digits.length % 2 === 0 ? [''] : Array.from('0123456789abcdef');
    return ends.map((end) => Buffer.concat([Buffer.of(0, form), Buffer.from(digits + end, 'hex')]));
  });
  return [Buffer.from(idPrefix), ...packed];
}
