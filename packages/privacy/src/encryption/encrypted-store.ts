import { MemoryError, type Namespace, type RecordStore } from '@keepsake/core';
import { AbstractRecordStore, expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { LruMap } from '@keepsake/internal';
import { DecryptedIndex } from './decrypted-index.ts';
import { EncryptedRecords } from './encrypted-records.ts';
import { copyKeyRing, type KeyRing } from './key-ring.ts';
import { RecordSealer } from './record-sealer.ts';

/** How `encrypted` searches a store. */
export interface EncryptedStoreOptions {
  /**
   * Holds the decrypted records for searches: a new, empty store in the memory of this process, such as
   * `new InMemoryStore({ name: 'index' })`, used for nothing else. Give it the embedder, if searches need one: vectors then
   * stay in memory too, and each process makes them again.
   */
  readonly index: RecordStore;
}

const OPTIONS: FieldNames<EncryptedStoreOptions> = { index: true };

/** How many namespaces keep their derived keys, in a process that serves many users. */
const MAX_SEALERS = 1_000;

/** The indexes in use: two stores with one index would find each other's records. */
const used = /* @__PURE__ */ new WeakSet<RecordStore>();

/** See `encrypted`. */
export class EncryptedStore extends AbstractRecordStore {
  readonly unidentified?: NonNullable<RecordStore['unidentified']>;
  readonly #store: RecordStore;

  constructor(store: RecordStore, ring: KeyRing, options: EncryptedStoreOptions) {
    checkStore(store);
    const keys = copyKeyRing(ring);
    const index = claimIndex(options);
    const sealers = new LruMap<string, RecordSealer>(MAX_SEALERS);
    const sealerOf = (namespace: Namespace) =>
      sealers.getOrCreate(JSON.stringify(namespace), () => new RecordSealer(keys, namespace));
    const decrypted = new DecryptedIndex(store, index, sealerOf);
    const { name, description, maxSearchResults, writable, extraction, namespace } = store;
    super(
      { name, description, maxSearchResults, writable, extraction, namespace },
      {
        capabilities: { ...store.capabilities, search: index.capabilities.search, filter: true },
        directory: store.directory,
        open: (at) => new EncryptedRecords(store.within(at.slice(namespace.length)), sealerOf(at), decrypted),
      },
    );
    this.#store = store;
    if (store.unidentified !== undefined) this.unidentified = store.unidentified.bind(store);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#store.close();
  }
}

function checkStore({ capabilities }: RecordStore): void {
  if (!capabilities.enumerate) {
    throw new MemoryError('UNSUPPORTED', 'encrypted() needs a store that can list its records, to search them.');
  }
  expect(
    capabilities.search === 'lexical',
    'The store has an embedder, which would get ciphertext. Give the embedder to the `index` instead.',
  );
}

function claimIndex(options: EncryptedStoreOptions): RecordStore {
  expectKnownFields(options, OPTIONS);
  const { index } = options;
  expect(
    index?.capabilities?.enumerate && index.writable,
    '`index` must be a store to search decrypted records in, such as new InMemoryStore({ name: "index" }).',
  );
  const { durable, shared } = index.capabilities;
  expect(
    !durable && !shared,
    '`index` holds decrypted records, so it must keep them in memory only. Use an InMemoryStore.',
  );
  expect(!used.has(index), '`index` belongs to another encrypted store. Make a new one.');
  used.add(index);
  return index;
}
