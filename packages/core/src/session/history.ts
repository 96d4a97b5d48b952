import { sha256 } from '@keepsake/internal';
import { expectKnownFields, type FieldNames } from '../common/check-fields.ts';
import { MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { readList } from '../common/read-values.ts';
import { checkId } from '../common/text.ts';
import { encodeJson } from '../json/json.ts';
import type { SessionHistoryMutation, SessionHistoryOperation, SessionHistoryTransaction } from './session.ts';
import { canonicalItem, encodeItem, encodeItems, sameItems } from './session-items.ts';

/* The rules of `DurableSession` as pure functions on items as JSON texts, for adapters. */

/** A checked transaction: remove `expectedSuffix`, which must be the end of the history, then append `items`. */
export interface HistoryChange {
  readonly operationId: string;
  /** SHA-256 of the transaction or of its fingerprint: the same for equal transactions, regardless of the order of fields. */
  readonly digest: string;
  readonly expectedSuffix: readonly string[];
  readonly items: readonly string[];
}

/** Checks and encodes the arguments of `applyHistoryTransaction`; `INVALID_ARGUMENT` or `TOO_LARGE` for bad ones. */
export async function prepareTransaction<Item extends object>(
  args: SessionHistoryOperation<Item>,
): Promise<HistoryChange> {
  // Reads the caller's objects before the first await, because they may change later.
  const { type, fingerprint, ...change } = encodeTransaction(args);
  return { ...change, digest: await sha256(fingerprint ?? transactionText({ type, ...change })) };
}

type EncodedTransaction = Omit<HistoryChange, 'digest'> &
  Pick<SessionHistoryTransaction, 'type'> &
  Pick<SessionHistoryOperation, 'fingerprint'>;

/** A transaction as text: the same for equal transactions, regardless of the order of fields. */
function transactionText({
  type,
  expectedSuffix,
  items,
}: Pick<EncodedTransaction, 'type' | 'expectedSuffix' | 'items'>): string {
  // Item by item, because within the transaction, items of the maximum depth would be too deep.
  return JSON.stringify([type, expectedSuffix.map(canonicalItem), items.map(canonicalItem)]);
}

const OPERATION: FieldNames<SessionHistoryOperation> = { operationId: true, transaction: true, fingerprint: true };

/** A checked transaction as JSON. Throws `INVALID_ARGUMENT` or `TOO_LARGE` for invalid arguments. */
export function encodeTransaction<Item extends object>(args: SessionHistoryOperation<Item>): EncodedTransaction {
  const { operationId, transaction, fingerprint } = expectKnownFields(args, OPERATION, 'arguments');
  checkId(operationId, 'operationId');
  expect(operationId.trim() !== '', 'operationId is blank.');
  if (fingerprint !== undefined) checkId(fingerprint, 'fingerprint');
  const { type, items, expectedSuffix, replacement } = checkTransaction(transaction);
  const operation = { operationId, type, ...(fingerprint !== undefined && { fingerprint }) };
  if (type === 'append_items') return { ...operation, expectedSuffix: [], items: encodeList(items, 'items') };
  return {
    ...operation,
    expectedSuffix: encodeList(expectedSuffix, 'expectedSuffix'),
    items: encodeList(replacement, 'replacement'),
  };
}

const APPEND = { type: true, items: true } as const;
const REPLACE = { type: true, expectedSuffix: true, replacement: true } as const;

/** The fields of a transaction, of which only those of its type may be there. */
function checkTransaction(transaction: object) {
  const fields: Partial<Record<keyof typeof APPEND | keyof typeof REPLACE, unknown>> = expectKnownFields(
    transaction,
    { ...APPEND, ...REPLACE },
    'transaction',
  );
  const { type } = fields;
  expect(
    type === 'append_items' || type === 'replace_suffix',
    "transaction.type must be 'append_items' or 'replace_suffix'.",
  );
  expectKnownFields(fields, type === 'append_items' ? APPEND : REPLACE, 'transaction');
  return { ...fields, type } as const;
}

function encodeList(items: unknown, name: string): string[] {
  return encodeItems(items as readonly object[], `transaction.${name}`);
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
interface FunctionCallReplacement {
  readonly callId: string;
  /** The call id as JSON: every item that is such a call contains it. */
  readonly needle: string;
  readonly replacement: string;
}

/** Checks and encodes the arguments of `applyHistoryMutations`; `INVALID_ARGUMENT` or `TOO_LARGE` for bad ones. */
export function prepareMutations<Item extends object>(args: {
  readonly mutations: readonly SessionHistoryMutation<Item>[];
}): FunctionCallReplacement[] {
  const { mutations } = expectKnownFields(args, { mutations: true }, 'arguments');
  const list = readList(mutations, 'mutations');
  return list.map((mutation, index) => {
    const what = `mutations[${index}]`;
    const { type, callId, replacement } = expectKnownFields(mutation, MUTATION, what);
    expect(
      type === 'replace_function_call' && typeof callId === 'string',
      `${what} must be { type: 'replace_function_call', callId, replacement }, with a string as callId.`,
    );
    const needle = encodeJson(callId, 'callId');
    return { callId, needle, replacement: encodeItem(replacement, `${what}.replacement`) };
  });
}

const MUTATION: FieldNames<SessionHistoryMutation> = { type: true, callId: true, replacement: true };

/**
 * What each item is after the mutations, in order: the same text, a replacement, or `undefined` for nothing.
 *
 * @param read - Reads an item that may be a call. It may throw.
 */
export function replaceFunctionCalls(
  items: readonly string[],
  mutations: readonly FunctionCallReplacement[],
  read: (item: string) => object,
): (string | undefined)[] {
  const after: (string | undefined)[] = [...items];
  for (const { callId, needle, replacement } of mutations) {
    let next: string | undefined = replacement;
    after.forEach((item, index) => {
      // Parsing is expensive, so only items that may be the call are parsed.
      if (!item?.includes(needle) || !isFunctionCall(read(item), callId)) return;
      after[index] = next;
      next = undefined;
    });
  }
  return after;
}

function isFunctionCall(item: { readonly type?: unknown; readonly callId?: unknown }, id: string): boolean {
  return item.type === 'function_call' && item.callId === id;
}
