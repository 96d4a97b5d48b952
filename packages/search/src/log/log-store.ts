import { AbstractRecordStore, expect, expectKnownFields, type FieldNames, indexedFields } from '@keepsake/core/adapter';
import { checkLanguage } from '../languages/check-language.ts';
import { capabilitiesOf, EMBEDDED_STORE_OPTIONS, type EmbeddedStoreOptions } from '../records/embedded-store.ts';
import { checkEmbedder } from '../vectors/embed.ts';
import { LogRecords } from './log-records.ts';
import type { RecordLogs } from './record-log.ts';
import { TablePool } from './table-pool.ts';

/** Options of a {@link LogStore}. */
export interface LogStoreOptions extends EmbeddedStoreOptions {
  /**
   * About how much memory the tables of the namespaces that were searched last may take, in bytes. Those of others are read
   * again when they are searched.
   *
   * @default 256 MiB
   */
  readonly tableBytes?: number | undefined;
}

/** The fields of {@link LogStoreOptions}, for the tables of stores that add their own. */
export const LOG_STORE_OPTIONS: FieldNames<LogStoreOptions> = { ...EMBEDDED_STORE_OPTIONS, tableBytes: true };

const TABLE_BYTES = 256 * 2 ** 20;
const MOST_PAGE_BYTES = 4 * 2 ** 20;

/**
 * A `RecordStore` for backends that store records and say what changed: see {@link RecordLogs}. Searches are ranked in this
 * process, in a table of each namespace that is searched, which follows the changes.
 */
export class LogStore extends AbstractRecordStore {
  /**
   * @param fieldNames - The option fields of the subclass.
   * @throws MemoryError `INVALID_ARGUMENT` for invalid options.
   */
  constructor(
    options: LogStoreOptions,
    logs: RecordLogs,
    fieldNames: Readonly<Record<string, true>> = LOG_STORE_OPTIONS,
  ) {
    const checkedOptions = expectKnownFields(options, fieldNames);
    const { embedder, language, tableBytes = TABLE_BYTES } = checkedOptions;
    checkEmbedder(embedder);
    checkLanguage(language);
    expect(typeof tableBytes === 'number' && tableBytes > 0, '`tableBytes` must be a number above 0.');
    // In whatever order they are declared, the same fields have the same index.
    const indexed = indexedFields(checkedOptions.indexed).toSorted((a, b) =>
      `${a.part}.${a.field}` < `${b.part}.${b.field}` ? -1 : 1,
    );
    const pageBytes = Math.min(MOST_PAGE_BYTES, tableBytes / 8);
    const indexing = { embedder, language, indexed, unsavedBytes: tableBytes / 4, pageBytes };
    const pool = new TablePool(tableBytes);
    super(checkedOptions, {
      capabilities: capabilitiesOf(checkedOptions, logs),
      open: (namespace) => new LogRecords(logs, namespace, indexing, pool),
    });
  }
}
