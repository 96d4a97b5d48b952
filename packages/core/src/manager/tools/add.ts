import { quoted } from '@keepsake/internal';
import { withDeadline } from '../../common/deadline.ts';
import { isMemoryError, MemoryError } from '../../common/errors.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { checkContent, copyMetadata } from '../../store/record-input.ts';
import { throwIfAborted } from '../../store/store-options.ts';
import { ableStores, storeNames, takesTexts, writeCode } from '../options/managed-stores.ts';
import type { MemoryAddOptions, MemoryAddResult } from '../options/manager-options.ts';
import { errorType, type Telemetry } from '../search/telemetry.ts';

/** Writes get this multiple of the search deadline, because losing one costs more than waiting. */
export const PATIENCE = 10;

/** What adding needs from the manager. */
export interface AddContext {
  readonly stores: readonly MemoryStore[];
  readonly deadlineMs: number;
  readonly initialize: (store: MemoryStore) => Promise<void>;
  readonly span: Telemetry;
}

/** See `MemoryManager.add`. */
export async function addToStores(
  context: AddContext,
  content: string,
  { stores: names, metadata, signal }: MemoryAddOptions = {},
): Promise<MemoryAddResult[]> {
  checkContent(content, 'content');
  const checkedMetadata = metadata && copyMetadata(metadata, 'metadata');
  const stores = ableStores(context.stores, names, takesTexts, 'add texts', writeCode);
  throwIfAborted(signal);

  const write = async (store: (typeof stores)[number]) => {
    await context.initialize(store);
    // A copy per store, so that no store sees another's changes.
    return store.add(content, checkedMetadata && copyMetadata(checkedMetadata, 'metadata'));
  };
  const targets = stores.map((store) => ({ store }));
  return allSettled(targets, 'Written to', ({ store }) =>
    context.span('create_memory', store.name, async (tell) => {
      tell({ count: 1, records: [{ content }] });
      let settled = false;
      const written = async () => write(store).finally(() => (settled = true));
      const result = await withDeadline(context.deadlineMs * PATIENCE, signal, written).catch((error) => {
        throw storeError(store, 'add the text', settled ? error : undefined);
      });
      return { storeName: store.name, result };
    }),
  );
}

/**
 * Changes stores concurrently and waits for all of them. The results are in their order.
 *
 * @throws AggregateError with the error of each store that failed; its message says in which stores it is `done`.
 */
export async function allSettled<Target extends { readonly store: MemoryStore }, Result>(
  targets: readonly Target[],
  done: string,
  change: (target: Target) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(targets.map(change));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as MemoryError] : []));
  const results = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (errors.length === 0) return results;
  const changed = targets.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  const names = storeNames(changed.map(({ store }) => store));
  throw new AggregateError(errors, `${errors.map(({ message }) => message).join(' ')} ${done}: ${names}.`);
}

/** An aborted write has an unknown outcome, because stores can't undo a write. */
export function storeError(store: MemoryStore, what: string, error: unknown): MemoryError {
  const code = error === undefined ? 'OUTCOME_UNKNOWN' : isMemoryError(error) ? error.code : 'BACKEND';
  const type = error === undefined ? code : errorType(error);
  return new MemoryError(code, `Store ${quoted(store.name)} failed to ${what} (${type}).`, { cause: error });
}
