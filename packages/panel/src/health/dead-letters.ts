import { formatNamespace, type JsonObject, type Namespace } from '@keepsake/core';
import { isObject, isOutbox } from '@keepsake/internal';
import type { MemoryPlaces } from '../memory/memory-places.ts';
import type { DeadLetterRow } from '../protocol.ts';

const MAX_LETTERS = 100;

/** The messages that managers gave up, of all outboxes: the first part of each has what happened to it. */
export async function deadLettersIn(
  places: MemoryPlaces,
  namespaces: readonly { readonly namespace: Namespace }[],
): Promise<DeadLetterRow[]> {
  const rows: DeadLetterRow[] = [];
  for (const { namespace } of namespaces) {
    if (!isOutbox(namespace) || namespace.at(-1) !== 'dead-letters') continue;
    const name = formatNamespace(namespace);
    const { items } = await (await places.at(name)).list({ filter: { part: 0 }, limit: MAX_LETTERS });
    rows.push(...items.map(({ metadata }) => letterRow(metadata, name)));
    if (rows.length >= MAX_LETTERS) break;
  }
  return rows.slice(0, MAX_LETTERS);
}

function letterRow({ storeName, thread, at, failedAt, error }: JsonObject, namespace: string): DeadLetterRow {
  const { code, message } = isObject(error) ? error : {};
  return {
    namespace,
    storeName: String(storeName),
    thread: String(thread),
    at: String(at),
    failedAt: String(failedAt),
    error: { ...(typeof code === 'string' && { code }), message: String(message) },
  };
}
