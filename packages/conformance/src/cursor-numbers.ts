import assert from 'node:assert/strict';

/** How often others write between two entries of a list. Irregular, so that no clock advances in proportion by chance. */
export const OTHER_WRITES: readonly number[] = [3, 9, 1, 12, 5, 7];

/**
 * Fails if a number in the cursors grows with the writes of others.
 *
 * @param cursors - The cursors after successive entries: between two of them, others wrote as often as `OTHER_WRITES` says.
 */
export function checkCursorsHideWrites(cursors: readonly string[]): void {
  assert.equal(cursors.length, OTHER_WRITES.length + 1);
  const numbers = cursors.map(numbersIn);
  const shared = Math.min(...numbers.map(({ length }) => length));
  // From the beginning and, as `at` does below 0, from the end: there may be random digits in between.
  for (let place = -shared; place < shared; place++) {
    const column = numbers.map((row) => row.at(place) as bigint);
    const growth = OTHER_WRITES.map((_, n) => (column[n + 1] as bigint) - (column[n] as bigint));
    assert.ok(!isProportional(growth), 'A number in the cursors grows with the writes of others');
  }
}

/** The numbers in the text of a cursor, which may be base64. */
function numbersIn(cursor: string): bigint[] {
  return (readBase64(cursor) ?? cursor).match(/\d+/g)?.map(BigInt) ?? [];
}

function readBase64(text: string): string | undefined {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
}

/** Whether the growth is a constant plus a multiple, other than 0, of the writes of others. */
function isProportional(growth: readonly bigint[]): boolean {
  const [base = 0n, next = 0n] = growth;
  const writes = OTHER_WRITES.map(BigInt);
  const [first = 0n, second = 0n] = writes;
  return (
    base !== next &&
    growth.every((one, n) => (one - base) * (second - first) === (next - base) * ((writes[n] as bigint) - first))
  );
}
