import type { AnyItem, DurableSession, JsonObject, RecordStore } from '@keepsake/core';
import { EncryptedSession } from './encrypted-session.ts';
import { EncryptedStore, type EncryptedStoreOptions } from './encrypted-store.ts';
import type { SealedItem } from './item-chain.ts';
import type { KeyRing } from './key-ring.ts';

/**
 * Wraps a session and encrypts its items, with all its capabilities.
 *
 * AES-256-GCM with one key per session (HKDF-SHA-256). Each item is bound to the session's id and to the item before it: items
 * that were changed, moved, reordered, repeated, or left out before the newest one are noticed. Items that are missing at the
 * end look like popped ones, and restoring an older state of the whole session is not noticed. The content of items is hidden,
 * but not their number and lengths. Each append, pop and effective mutation adds an operation id to those that the
 * wrapped session remembers. The first stored item marks the start of the history.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for weak keys. On use: `INVALID_ARGUMENT` if the ring has another key than the one
 *   used for encryption, or none with its id; `CORRUPT` for items that are damaged, out of place, or in plaintext. Nothing is
 *   changed then.
 */
export function encrypted<Item extends object = JsonObject>(
  session: DurableSession<Item>,
  ring: KeyRing,
): DurableSession<Item>;
/**
 * Wraps a store and encrypts its records: content, metadata, turn and source, with one key per namespace.
 *
 * Each record is bound to its namespace and id. These stay readable. So do times, versions, lengths, and which record
 * supersedes which, which are not authenticated; an older state of a record can be put back unnoticed. `add` and
 * `addMessages` derive ids from content with the key, so they tell nothing. Content and metadata may have 750 KiB together.
 *
 * A search reads all records of the namespace and ranks them in the memory of this process, so no index leaks words. Filters of
 * `list` read all records too. Closing the result closes the store.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for weak keys, an `index` that is not in memory, and a store with an embedder;
 *   `UNSUPPORTED` for a store that can't list. On use as with sessions.
 */
export function encrypted(store: RecordStore, ring: KeyRing, options: EncryptedStoreOptions): RecordStore;
export function encrypted(
  plain: DurableSession<AnyItem> | RecordStore,
  ring: KeyRing,
  options?: EncryptedStoreOptions,
): DurableSession<AnyItem> | RecordStore {
  if (isStore(plain)) return new EncryptedStore(plain, ring, options as EncryptedStoreOptions);
  return new EncryptedSession<AnyItem>(plain as DurableSession<SealedItem>, ring);
}

function isStore(plain: DurableSession<AnyItem> | RecordStore): plain is RecordStore {
  return typeof (plain as Partial<RecordStore> | undefined)?.putMany === 'function';
}
