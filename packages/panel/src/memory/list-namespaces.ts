import { readQuery, text, whole } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type NamespaceLevel } from '../protocol.ts';

const LEVEL = {
  parent: text(16_384),
  cursor: text(16_384),
  limit: whole(1, LIMITS.pageSize, LIMITS.pageSize),
} as const;

/** The namespaces one level below another. */
export async function listNamespaces({ tree }: PanelParts, query: URLSearchParams): Promise<NamespaceLevel> {
  const { parent = '', cursor, limit } = readQuery(query, LEVEL);
  return tree.level(parent, { cursor, limit });
}
