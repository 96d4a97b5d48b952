import type { PageOptions } from '@keepsake/core';
import type { ConversationKind } from './kind.ts';

/** The options of a page, for a list that refuses others. */
export function paging({ cursor, limit }: PageOptions): PageOptions {
  return { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) };
}

export function ofKind(kind: ConversationKind | undefined) {
  return kind === undefined ? {} : { filter: { kind } };
}
