import { withDeadline } from '../../common/deadline.ts';
import { isMemoryError, MemoryError } from '../../common/errors.ts';
import { quoted } from '../../common/text.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { checkContent, copyMetadata } from '../../store/record-input.ts';
import { throwIfAborted } from '../../store/store-options.ts';
import { storeNames, takesTexts, targetStores } from '../options/managed-stores.ts';
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
  const given = metadata && copyMetadata(metadata, 'metadata');
  const able = context.stores.filter(takesTexts);
  const stores = names ? targetStores(context.stores, names) : able;
  const unable = stores.find((store) => !takesTexts(store));
  if (unable !== undefined || (names === undefined && able.length === 0)) {
    const code = unable?.writable ? 'UNSUPPORTED' : 'READ_ONLY';
    const refused = unable ? `Store ${quoted(unable.name)}` : 'No store';
    throw new MemoryError(code, `${refused} takes texts. Writable, with add(), are: ${storeNames(able)}.`);
  }
  throwIfAborted(signal);

  const write = async (store: MemoryStore) => {
    await context.initialize(store);
    // A copy per store, so that no store sees another's changes.
    return store.add?.(content, given && copyMetadata(given, 'metadata'));
  };
  const outcomes = await Promise.allSettled(
    stores.map((store) =>
      context.span('create_memory', store.name, (tell) => {
        tell({ count: 1, records: [{ content }] });
        let settled = false;
        const written = async () => write(store).finally(() => (settled = true));
        return withDeadline(context.deadlineMs * PATIENCE, signal, written).catch((error) => {
          throw storeError(store, 'add the text', settled ? error : undefined);
        });
      }),
    ),
  );
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as MemoryError] : []));
  const results = outcomes.flatMap((outcome, index) =>
    outcome.status === 'fulfilled' ? [{ storeName: (stores[index] as MemoryStore).name, result: outcome.value }] : [],
  );
  if (errors.length === 0) return results;
  const done = storeNames(results.map(({ storeName }) => ({ name: storeName })));
  throw new AggregateError(errors, `${errors.map(({ message }) => message).join(' ')} Written to: ${done}.`);
}

/** An aborted write has an unknown outcome, because stores can't undo a write. */
export function storeError(store: MemoryStore, what: string, error: unknown): MemoryError {
  const code = error === undefined ? 'OUTCOME_UNKNOWN' : isMemoryError(error) ? error.code : 'BACKEND';
  const type = error === undefined ? code : errorType(error);
  return new MemoryError(code, `Store ${quoted(store.name)} failed to ${what} (${type}).`, { cause: error });
}
