import type { MemoryStore } from '@keepsake/core';
import type { Case, CaseGroup, Closable } from '../kit.ts';

/** How to open a store of a harness; what is missing is as the backend does it by default. */
export interface OpenMemoryOptions {
  readonly name?: string;
  readonly description?: string;
  readonly writable?: boolean;
  readonly maxSearchResults?: number;
}

/** A place to remember in, empty at first. */
export interface MemoryStoreHarness extends Closable {
  /** A new instance of the store. All instances of one harness work on the same data. */
  open(options?: OpenMemoryOptions): MemoryStore;
  /** Puts texts into the store by whatever way the backend has, in their order; they are seen by searches then. */
  fill(contents: readonly string[]): Promise<void>;
  /** Waits until all writes are seen by searches. For backends of eventual consistency: awaited after each write. */
  settle?(): Promise<void>;
}

/** What a memory store promises beyond `search`. */
export interface MemoryStoreCapabilities {
  /** How it ranks: by words, by meaning, or by both. */
  readonly search: 'lexical' | 'semantic' | 'hybrid';
  /** Whether it has `add`. */
  readonly add: boolean;
  /** Whether it has `addMessages`: each message word for word, or what the backend makes of them. */
  readonly addMessages: 'verbatim' | 'distilled' | false;
  /** Whether search takes a `filter` over the metadata of `add`; otherwise it refuses one with `UNSUPPORTED`. */
  readonly filter: boolean;
}

export type MemoryStoreCase = Case<MemoryStoreHarness, MemoryStoreCapabilities>;
export type MemoryStoreCases = CaseGroup<MemoryStoreHarness, MemoryStoreCapabilities>;

/** Adds a text to a store that promises `add`, and waits until it is seen. */
export async function add(
  harness: MemoryStoreHarness,
  store: MemoryStore,
  ...[content, metadata]: Parameters<NonNullable<MemoryStore['add']>>
): Promise<void> {
  await store.add?.(content, metadata);
  await harness.settle?.();
}

/** Adds messages to a store that promises `addMessages`, and waits until they are seen. */
export async function addMessages(
  harness: MemoryStoreHarness,
  store: MemoryStore,
  ...[messages, context]: Parameters<NonNullable<MemoryStore['addMessages']>>
): Promise<void> {
  await store.addMessages?.(messages, context);
  await harness.settle?.();
}

/** The contents that a search finds, best first. */
export async function foundTexts(
  store: MemoryStore,
  ...[query, options]: Parameters<MemoryStore['search']>
): Promise<string[]> {
  return (await store.search(query, options)).map(({ content }) => content);
}
