/*
 * Ids are the longest part of many a record. Those that Keepsake makes itself are written as the bytes that they spell,
 * behind a NUL, with which no other id begins; all others as they are.
 */

interface Form {
  readonly prefix: string;
  /** The lengths of the groups of hexadecimal digits, between which are hyphens. */
  readonly groups: readonly number[];
}

/** Part of what is stored: only ever add to the end. */
const FORMS: readonly Form[] = [
  { prefix: '', groups: [8, 4, 4, 4, 12] },
  { prefix: 'content-', groups: [64] },
  { prefix: 'message-', groups: [64] },
];

const PATTERNS = FORMS.map(
  ({ prefix, groups }) => new RegExp(`^${prefix}${groups.map((length) => `([0-9a-f]{${length}})`).join('-')}$`),
);

/** An id as bytes; no two ids have the same. */
export function packId(id: string): Buffer {
  for (const [form, pattern] of PATTERNS.entries()) {
    const digits = pattern.exec(id)?.slice(1).join('');
    if (digits !== undefined) return Buffer.concat([Buffer.of(0, form), Buffer.from(digits, 'hex')]);
  }
  return Buffer.from(id);
}

/** The id that {@link packId} wrote. */
export function unpackId(packed: Buffer): string {
  const { prefix, groups } = FORMS[packed[0] === 0 ? (packed[1] as number) : -1] ?? { prefix: '', groups: undefined };
  if (groups === undefined) return packed.toString();
  const hyphened = groups.reduce(
    ({ text, left }, length) => ({ text: `${text}-${left.slice(0, length)}`, left: left.slice(length) }),
    { text: '', left: packed.toString('hex', 2) },
  );
  return prefix + hyphened.text.slice(1);
}
