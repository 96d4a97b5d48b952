import type { GetOperation, Operation, PutOperation, SearchOperation } from '@langchain/langgraph-checkpoint';

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

export function isPut(operation: Operation): operation is Put {
  return 'value' in operation && 'key' in operation;
}

export function isGet(operation: Operation): operation is Get {
  return 'key' in operation && !('value' in operation);
}

export function isSearch(operation: Operation): operation is Search {
  return 'namespacePrefix' in operation;
}
