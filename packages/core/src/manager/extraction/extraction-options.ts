import type { MemoryModel } from '../../model/model.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import type { Logger } from '../options/logger.ts';
import type { ReportFailure } from '../search/report.ts';
import type { Telemetry } from '../search/telemetry.ts';

export interface ExtractionOptions {
  /** Those with extraction. */
  readonly stores: readonly MemoryStore[];
  /** For extractors that need one, in all conversations. */
  readonly model?: MemoryModel | undefined;
  /**
   * The maximum number of unsaved messages per conversation. At twice as many in total, the least recently used
   * conversations are saved.
   */
  readonly maxBuffered: number;
  readonly outbox?: RecordStore | undefined;
  /** Connects a store before its first use. */
  readonly initialize: (store: MemoryStore) => Promise<void>;
  /** @default The console. */
  readonly logger?: Logger | undefined;
  readonly span: Telemetry;
  /** Never throws. */
  readonly report: ReportFailure;
  /** The name of the manager's search tool. */
  readonly recallTools: ReadonlySet<string>;
  /** Pending writes of tools. */
  readonly writes: ReadonlySet<Promise<unknown>>;
  /** The current time zone of the user. */
  readonly timeZone: () => string;
  /** The deadline for searching known memories and for ending a turn. */
  readonly deadlineMs: number;
}
