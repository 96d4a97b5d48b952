import type { MemoryEntry, MemoryStore } from '../memory-store.ts';
import type { Message } from '../message.ts';
import type { MemoryModel } from '../model.ts';
import type { RecordStore } from '../record-store.ts';
import type { ReportFailure } from './report.ts';
import type { Telemetry } from './telemetry.ts';

/** What a store got of what was observed. */
export interface Saved {
  readonly saved: number;
  readonly failed: number;
}

/** The messages of one conversation that stores have not saved yet. */
export interface ConversationBuffer {
  observe(messages: readonly Message[]): void;
  endTurn(options?: { readonly failed?: boolean }): Promise<void>;
  /** Hears what was injected, so that it is not learnt anew. */
  recalled(block: string, entries: readonly MemoryEntry[]): void;
}

/** Turns conversations into memories. */
export class Extraction {
  // biome-ignore lint/complexity/noUselessConstructor: the seam
  constructor(_options: {
    readonly stores: readonly MemoryStore[];
    readonly model?: MemoryModel;
    readonly maxBuffered: number;
    readonly outbox?: RecordStore;
    readonly report: ReportFailure;
    readonly deadlineMs: number;
    readonly span: Telemetry;
  }) {}

  conversation(_id: string): ConversationBuffer {
    return { observe: () => {}, endTurn: async () => {}, recalled: () => {} };
  }

  async flush(_options?: { readonly throwOnFailure?: boolean }): Promise<Record<string, Saved>> {
    return {};
  }

  async recover(): Promise<Record<string, Saved>> {
    return {};
  }

  async close(): Promise<void> {}
}

/** Throws `INVALID_ARGUMENT` where a store can't be fed as its `extraction` asks. */
export function checkExtraction(_store: MemoryStore, _options: { readonly model?: MemoryModel }): void {}
