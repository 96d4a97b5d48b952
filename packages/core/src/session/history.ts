import { MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { checkId } from '../common/text.ts';
import { sha256 } from '../crypto/digest.ts';
import { encodeJson } from '../json/json.ts';
import type { SessionHistoryMutation, SessionHistoryTransaction } from './session.ts';
import { canonicalItem, encodeItem, encodeItems, sameItems } from './session-items.ts';

/* The rules of `DurableSession` as pure functions on items as JSON texts, for adapters. */

/** A checked transaction: remove `expectedSuffix`, which must be the end of the history, then append `items`. */
export interface HistoryChange {
  readonly operationId: string;
  /** SHA-256 of the transaction: the same for equal transactions, regardless of the order of fields. */
  readonly digest: string;
  readonly expectedSuffix: readonly string[];
  readonly items: readonly string[];
}

/** Checks and encodes the arguments of `applyHistoryTransaction`; `INVALID_ARGUMENT` or `TOO_LARGE` for bad ones. */
export async function prepareTransaction<Item extends object>(args: {
  operationId: string;
  transaction: SessionHistoryTransaction<Item>;
}): Promise<HistoryChange> {
  checkId(args?.operationId, 'operationId');
  const { operationId, transaction } = args;
  // Reads the caller's objects before the first await, because they may change later.
  const { expectedSuffix, items } = encodeTransaction(transaction);
  // Item by item, because within the transaction, items of the maximum depth would be too deep.
  const canonical = JSON.stringify([transaction.type, expectedSuffix.map(canonicalItem), items.map(canonicalItem)]);
  return { operationId, digest: await sha256(canonical), expectedSuffix, items };
}

/** The items of a transaction as JSON. Throws `INVALID_ARGUMENT` or `TOO_LARGE` for an invalid transaction. */
export function encodeTransaction<Item extends object>(
  transaction: SessionHistoryTransaction<Item>,
): Pick<HistoryChange, 'expectedSuffix' | 'items'> {
  if (transaction?.type === 'append_items') {
    return { expectedSuffix: [], items: encodeItems(transaction.items, 'transaction.items') };
  }
  expect(transaction?.type === 'replace_suffix', "transaction.type must be 'append_items' or 'replace_suffix'.");
  return {
    expectedSuffix: encodeItems(transaction.expectedSuffix, 'transaction.expectedSuffix'),
    items: encodeItems(transaction.replacement, 'transaction.replacement'),
  };
}

/**
 * Whether an operation was already applied. `knownDigest` is the stored digest of its id.
 *
 * @throws MemoryError `CONFLICT` if the id was used for another transaction.
 */
export function wasApplied(change: HistoryChange, knownDigest: string | undefined): boolean {
  if (knownDigest === undefined) return false;
  if (knownDigest === change.digest) return true;
  throw new MemoryError(
    'CONFLICT',
    'This operationId was already used for another transaction. Reuse an id only to retry the same transaction.',
  );
}

/** Throws `CONFLICT` unless `tail`, the newest items of a history, is the suffix that the change expects. */
export function expectSuffix(change: HistoryChange, tail: readonly string[]): void {
  if (sameItems(tail, change.expectedSuffix)) return;
  throw new MemoryError(
    'CONFLICT',
    'The history does not end with `expectedSuffix`, because another writer changed it. Read it again.',
  );
}

/** A checked {@link SessionHistoryMutation}: its replacement as JSON. */
export interface FunctionCallReplacement {
  readonly callId: string;
  readonly replacement: string;
}

/** Checks and encodes mutations; `INVALID_ARGUMENT` or `TOO_LARGE` for bad ones. */
export function prepareMutations<Item extends object>(
  mutations: readonly SessionHistoryMutation<Item>[],
): FunctionCallReplacement[] {
  expect(Array.isArray(mutations), 'mutations must be an array.');
  return Array.from(mutations as readonly SessionHistoryMutation<Item>[], (mutation, index) => {
    expect(
      mutation?.type === 'replace_function_call' && typeof mutation.callId === 'string',
      `mutations[${index}] must be { type: 'replace_function_call', callId, replacement }, with a string as callId.`,
    );
    const replacement = encodeItem(mutation.replacement, `mutations[${index}].replacement`);
    return { callId: mutation.callId, replacement };
  });
}

/** The history after the mutations, in order. An unchanged item is the same string as before. */
export function replaceFunctionCalls(
  items: readonly string[],
  mutations: readonly FunctionCallReplacement[],
): readonly string[] {
  return mutations.reduce(replaceFunctionCall, items);
}

function replaceFunctionCall(items: readonly string[], { callId, replacement }: FunctionCallReplacement) {
  // Parsing is expensive, so only items that may be the call are parsed.
  const needle = encodeJson(callId, 'callId');
  let replaced = false;
  return items.flatMap((item) => {
    if (!item.includes(needle) || !isFunctionCall(item, callId)) return [item];
    if (replaced) return [];
    replaced = true;
    return [replacement];
  });
}

function isFunctionCall(item: string, callId: string): boolean {
  const { type, callId: id } = JSON.parse(item) as { type?: unknown; callId?: unknown };
  return type === 'function_call' && id === callId;
}
