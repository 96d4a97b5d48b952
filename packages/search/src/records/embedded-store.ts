import type { Embedder, StoreCapabilities } from '@keepsake/core';
import {
  AbstractRecordStore,
  expectKnownFields,
  type FieldNames,
  type RecordStoreOptions,
  STORE_OPTIONS,
} from '@keepsake/core/adapter';
import { checkLanguage } from '../languages/check-language.ts';
import type { Language } from '../languages/language.ts';
import { checkEmbedder } from '../vectors/embed.ts';
import { EmbeddedRecords } from './embedded-records.ts';
import type { RecordSpace } from './record-space.ts';

/** Options of an {@link EmbeddedStore}. */
export interface EmbeddedStoreOptions extends RecordStoreOptions {
  /**
   * Adds search by meaning to search by words. Puts that are not awaited land in the order in which their vectors arrive.
   *
   * @default none: search by words only
   */
  readonly embedder?: Embedder | undefined;
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms. It applies to all stores
   * over the same records, in every namespace.
   *
   * @default the language that each text seems to be in
   */
  readonly language?: Language | undefined;
  /**
   * Fields of metadata and source that filters often compare with a value, such as `['kind', 'source.run']`; at most 16. An
   * index leads lists and searches to the records with that value. Results are the same without. It applies to all namespaces
   * of the store, and is in memory while a namespace is open.
   *
   * @default none
   */
  readonly indexed?: readonly string[] | undefined;
}

/** The fields of {@link EmbeddedStoreOptions}, for the tables of stores that add their own. */
export const EMBEDDED_STORE_OPTIONS: FieldNames<EmbeddedStoreOptions> = {
  ...STORE_OPTIONS,
  embedder: true,
  language: true,
  indexed: true,
};

/** A `RecordStore` that ranks in this process, for backends that store records but do not search: see {@link RecordSpace}. */
export class EmbeddedStore extends AbstractRecordStore {
  /**
   * @param fieldNames - The option fields of the subclass.
   * @throws MemoryError `INVALID_ARGUMENT` for invalid options.
   */
  constructor(
    options: EmbeddedStoreOptions,
    space: RecordSpace,
    fieldNames: Readonly<Record<string, true>> = EMBEDDED_STORE_OPTIONS,
  ) {
    const checkedOptions = expectKnownFields(options, fieldNames);
    const { embedder, language } = checkedOptions;
    checkEmbedder(embedder);
    checkLanguage(language);
    super(checkedOptions, {
      capabilities: capabilitiesOf(checkedOptions, space),
      directory: space.directory,
      open: (namespace) => new EmbeddedRecords(space, namespace, { embedder, language }),
    });
  }
}

/** What stores that rank in this process can do. */
export function capabilitiesOf(
  { embedder }: EmbeddedStoreOptions,
  { durable, shared }: Pick<StoreCapabilities, 'durable' | 'shared'>,
): StoreCapabilities {
  return {
    search: embedder === undefined ? 'lexical' : 'hybrid',
    consistency: 'strong',
    durable,
    shared,
    atomicBatch: true,
    ttl: true,
    enumerate: true,
    filter: true,
    history: true,
  };
}
