import { isMemoryError, MemoryError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { MemoryStore } from '../memory-store.ts';
import { checkContent, copyMetadata } from '../record-input.ts';
import { throwIfAborted } from '../store-options.ts';
import { quoted } from '../text.ts';
import { storeNames, targetStores } from './managed-stores.ts';
import type { MemoryAddOptions, MemoryAddResult } from './manager-options.ts';
import { errorType, type Telemetry } from './telemetry.ts';

/** What adding takes from the manager. */
export interface AddContext {
  readonly stores: readonly MemoryStore[];
  readonly initialize: (store: MemoryStore) => Promise<void>;
  readonly span: Telemetry;
}

/** Whether texts can be written to a store one by one. */
export function takesTexts(store: MemoryStore): boolean {
  return store.writable && store.add !== undefined;
}

/** Throws unless texts can be written to a store one by one. */
export function checkTakesTexts(store: MemoryStore): void {
  const name = quoted(store.name);
  if (!store.writable) throw new MemoryError('READ_ONLY', `Store ${name} is read-only.`);
  if (store.add !== undefined) return;
  throw new MemoryError('UNSUPPORTED', `Store ${name} has no \`add\`: it takes whole messages alone.`);
}

/** See `MemoryManager.add`. */
export async function addToStores(
  context: AddContext,
  content: string,
  { stores: names, metadata, signal }: MemoryAddOptions = {},
): Promise<MemoryAddResult[]> {
  checkContent(content, 'content');
  if (metadata !== undefined) copyMetadata(metadata, 'metadata');
  const stores = names === undefined ? context.stores.filter(takesTexts) : targetStores(context.stores, names);
  stores.forEach(checkTakesTexts);
  if (names === undefined && stores.length === 0) {
    throw new MemoryError('UNSUPPORTED', `No store can be written to: ${storeNames(context.stores)}.`);
  }
  throwIfAborted(signal);

  const writes = stores.map((store) =>
    context.span('create_memory', store.name, async (tell) => {
      tell({ count: 1, records: [{ content }] });
      return { storeName: store.name, result: await untilAborted(signal, write(context, store, content, metadata)) };
    }),
  );
  const outcomes = await Promise.allSettled(writes);
  const results = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (results.length === outcomes.length) return results;

  const errors = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [storeError(stores[index] as MemoryStore, outcome.reason)] : [],
  );
  const done = storeNames(results.map(({ storeName }) => ({ name: storeName })));
  throw new AggregateError(errors, `${errors.map(({ message }) => message).join(' ')} Written to: ${done}.`);
}

async function write(
  context: AddContext,
  store: MemoryStore,
  content: string,
  metadata: JsonObject | undefined,
): Promise<unknown> {
  await context.initialize(store);
  // A copy for each: none shall see what another makes of it.
  return store.add?.(content, metadata && copyMetadata(metadata, 'metadata'));
}

/** Waits for a write no longer than the caller does: stores have no way to take one back. */
async function untilAborted<T>(signal: AbortSignal | undefined, write: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () =>
    aborted.reject(
      new MemoryError('OUTCOME_UNKNOWN', 'The caller aborted while it was written, so it may be written yet.'),
    );
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([write, aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function storeError(store: MemoryStore, error: unknown): MemoryError {
  const code = isMemoryError(error) ? error.code : 'BACKEND';
  const message = `Store ${quoted(store.name)} did not take the text (${errorType(error)}).`;
  return new MemoryError(code, message, { cause: error });
}
