import type { RecordStore } from '@keepsake/core';

/** The stores that a model's tools can reach. */
export interface ToolScope {
  /** The private memory. */
  readonly memory: RecordStore;
  /** The names of the readable pools. */
  readonly pools: readonly string[];
  /** The principal's name in `writtenBy`. */
  readonly writer: string;
  pool(name: string): RecordStore;
  team(): RecordStore;
}
