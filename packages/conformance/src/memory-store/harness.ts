import type { MemoryStore } from '@keepsake/core';
import type { Case, CaseGroup, Closable } from '../kit.ts';

/** Options for opening a store of a harness. Missing options use the backend's defaults. */
export interface OpenMemoryOptions {
  readonly name?: string;
  readonly description?: string;
  readonly writable?: boolean;
  readonly maxSearchResults?: number;
}

/** An empty memory store. */
export interface MemoryStoreHarness extends Closable {
  /** A new instance of the store. All instances of a harness share the same data. */
  open(options?: OpenMemoryOptions): MemoryStore;
  /** Adds texts in order, in any way the backend supports. Afterwards, searches see them. */
  fill(contents: readonly string[]): Promise<void>;
  /** Waits until searches see all writes. For eventually consistent backends; awaited after each write. */
  settle?(): Promise<void>;
}

/** What a memory store promises beyond `search`. */
export interface MemoryStoreCapabilities {
  /** How it ranks: by words, by meaning, or by both. */
  readonly search: 'lexical' | 'semantic' | 'hybrid';
  /** Whether it has `add`. */
  readonly add: boolean;
  /** Whether it has `addMessages`, and whether it stores messages verbatim or distils them. */
  readonly addMessages: 'verbatim' | 'distilled' | false;
  /** Whether search takes a `filter` over the metadata of `add`; otherwise it refuses one with `UNSUPPORTED`. */
  readonly filter: boolean;
}

export type MemoryStoreCase = Case<MemoryStoreHarness, MemoryStoreCapabilities>;
export type MemoryStoreCases = CaseGroup<MemoryStoreHarness, MemoryStoreCapabilities>;

/** Adds a text to a store that promises `add`, and waits until searches see it. */
export async function add(
  harness: MemoryStoreHarness,
  store: MemoryStore,
  ...[content, metadata]: Parameters<NonNullable<MemoryStore['add']>>
): Promise<void> {
  await store.add?.(content, metadata);
  await harness.settle?.();
}

/** Adds messages to a store that promises `addMessages`, and waits until searches see them. */
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
