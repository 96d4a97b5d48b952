import assert from 'node:assert/strict';
import { type DurableSession, isMemoryError, type MemoryError, type MemoryErrorCode } from '@keepsake/core';
import { briefs } from './items.ts';

/** Part of items that must be refused. No error may contain it. */
export const SECRET = 'sentinel-5f0c2a';

/** With more items, a report names the first difference: a diff of thousands of lines takes seconds. */
const MAX_DIFF = 500;

/** Asserts that these are the items, in this order. */
export async function holds(session: Pick<DurableSession, 'getItems'>, expected: readonly object[]): Promise<void> {
  const [heldBriefs, wanted] = [briefs(await session.getItems()), briefs(expected)];
  if (Math.max(heldBriefs.length, wanted.length) <= MAX_DIFF) return assert.deepEqual(heldBriefs, wanted);
  assert.equal(heldBriefs.length, wanted.length, 'another number of items came back');
  const at = wanted.findIndex((item, index) => item !== heldBriefs[index]);
  assert.equal(heldBriefs[at], wanted[at], `item ${at} of ${wanted.length} differs`);
}

/** Asserts that the action rejects with that code, and with a helpful message without content. */
export async function refuses(code: MemoryErrorCode, action: () => unknown, why = ''): Promise<MemoryError> {
  const error = await failureOf(action);
  assert.ok(error !== undefined, `nothing was refused, where ${code} was expected ${why}`);
  assert.ok(isMemoryError(error, code), `${String(error)} was thrown, where ${code} was expected ${why}`);
  checkMessage(error);
  return error;
}

/** What the action throws or rejects with. */
export async function failureOf(action: () => unknown): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error ?? new Error('a rejection without an error');
  }
  return undefined;
}

function checkMessage(error: MemoryError): void {
  assert.match(error.message, /\w+ \w+ \w+/, 'the message must say what is wrong');
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    assert.ok(!one.message.includes(SECRET), 'the message must not contain content');
  }
}

/** Asserts that `items` contains each batch once, whole and in order. The items of all batches must be distinct. */
export function holdsBatches(items: readonly object[], batches: readonly (readonly object[])[]): void {
  const heldBriefs = briefs(items);
  const wanted = batches.map(briefs);
  for (const batch of wanted) {
    const start = heldBriefs.indexOf(batch[0] as string);
    assert.deepEqual(heldBriefs.slice(start, start + batch.length), batch, 'a batch is missing or was split');
  }
  assert.equal(heldBriefs.length, wanted.flat().length, 'an item is there more than once');
}
