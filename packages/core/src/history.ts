import { sha256 } from './digest.ts';
import { MemoryError } from './errors.ts';
import { expect } from './expect.ts';
import { encodeJson } from './json.ts';
import type { SessionHistoryMutation, SessionHistoryTransaction } from './session.ts';
import { canonicalItem, encodeItem, encodeItems, sameItems } from './session-items.ts';
import { checkId } from './text.ts';

/*
 * The rules of `DurableSession` as functions on items that are JSON texts, for adapters. They read and write nothing.
 */

/** A checked transaction: drop the items of `expectedSuffix`, which the history must end with, then append `items`. */
export interface HistoryChange {
  readonly operationId: string;
  /** SHA-256 of what the transaction says: the same for equal transactions, whatever the order of fields. */
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
  // All reading of the caller's objects comes before the first wait: they may change later.
  const { expectedSuffix, items } = encodeTransaction(transaction);
  // Item by item: inside of the transaction, the deepest ones that JSON of ours may be would be too deep.
  const canonical = JSON.stringify([transaction.type, expectedSuffix.map(canonicalItem), items.map(canonicalItem)]);
  return { operationId, digest: await sha256(canonical), expectedSuffix, items };
}

/** The items of a transaction as JSON; `INVALID_ARGUMENT` or `TOO_LARGE` for what is none. */
export function encodeTransaction<Item extends object>(
  transaction: SessionHistoryTransaction<Item>,
): Pick<HistoryChange, 'expectedSuffix' | 'items'> {
  if (transaction?.type === 'append_items') {
    return { expectedSuffix: [], items: encodeItems(transaction.items, 'transaction.items') };
  }
  expect(transaction?.type === 'replace_suffix', "transaction.type is to be 'append_items' or 'replace_suffix'.");
  return {
    expectedSuffix: encodeItems(transaction.expectedSuffix, 'transaction.expectedSuffix'),
    items: encodeItems(transaction.replacement, 'transaction.replacement'),
  };
}

/**
 * Whether an operation was done before: `knownDigest` is what is remembered under its id.
 *
 * @throws MemoryError `CONFLICT` when the id was used for another transaction.
 */
export function wasApplied(change: HistoryChange, knownDigest: string | undefined): boolean {
  if (knownDigest === undefined) return false;
  if (knownDigest === change.digest) return true;
  throw new MemoryError(
    'CONFLICT',
    'This operationId was already used for another transaction. Use one again only to retry the same.',
  );
}

/** Throws `CONFLICT` unless `tail`, the newest items of a history, is the suffix that the change expects. */
export function expectSuffix(change: HistoryChange, tail: readonly string[]): void {
  if (sameItems(tail, change.expectedSuffix)) return;
  throw new MemoryError(
    'CONFLICT',
    'The history does not end with expectedSuffix: somebody else changed it. Read it again.',
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
  expect(Array.isArray(mutations), 'mutations is to be an array.');
  return Array.from(mutations as readonly SessionHistoryMutation<Item>[], (mutation, index) => {
    expect(
      mutation?.type === 'replace_function_call' && typeof mutation.callId === 'string',
      `mutations[${index}] is to be { type: 'replace_function_call', callId, replacement }.`,
    );
    const replacement = encodeItem(mutation.replacement, `mutations[${index}].replacement`);
    return { callId: mutation.callId, replacement };
  });
}

/** The history after the mutations, in their order. An item that did not change is the same string as before. */
export function replaceFunctionCalls(
  items: readonly string[],
  mutations: readonly FunctionCallReplacement[],
): readonly string[] {
  return mutations.reduce(replaceFunctionCall, items);
}

function replaceFunctionCall(items: readonly string[], { callId, replacement }: FunctionCallReplacement) {
  // Parsing is what costs: only items that may be the call are parsed.
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
