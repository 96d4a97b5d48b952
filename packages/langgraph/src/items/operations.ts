import type {
  GetOperation,
  ListNamespacesOperation,
  PutOperation,
  SearchOperation,
} from '@langchain/langgraph-checkpoint';

/** Options of a read. */
export interface KeepsakeReadOptions {
  /**
   * Whether the lifetimes of the items that are found start again.
   *
   * @default `refreshOnRead` of the store
   */
  readonly refreshTtl?: boolean | undefined;
}

/** Options of a put. */
export interface KeepsakePutOptions {
  /**
   * The lifetime of the item in whole milliseconds. LangGraph's own stores count minutes.
   *
   * @default `ttlMs` of the store
   */
  readonly ttlMs?: number | undefined;
}

export type Get = GetOperation & KeepsakeReadOptions;
export type Search = SearchOperation & KeepsakeReadOptions;
export type Put = PutOperation & KeepsakePutOptions;
export type List = ListNamespacesOperation;
