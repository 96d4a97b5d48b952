import type { MemoryEntry, MemoryRecord } from '@keepsake/core';
import { withoutUndefined } from '@keepsake/internal';
import { LIMITS, type RecordRow } from '../protocol.ts';
import { shownText } from '../shown-text.ts';

/** A record in a list, with the beginning of its text. */
export function recordRow(record: MemoryRecord, namespace: string, maxLength: number = LIMITS.shortText): RecordRow {
  const { id, version, content, index, expiresAt, validUntil } = record;
  return {
    namespace,
    id,
    version,
    content: shownText(content, maxLength),
    ...originOf(record),
    ...withoutUndefined({ expiresAt, validUntil }),
    // A closed record is out of search, too, but nobody has buried it.
    buried: !index && validUntil === undefined,
  };
}

/** A search result in a list. */
export function entryRow(entry: MemoryEntry, namespace: string): RecordRow {
  const { id = '', content, score, excerpt } = entry;
  return {
    namespace,
    id,
    content: shownText(content),
    ...originOf(entry),
    ...withoutUndefined({ score, excerpt: excerpt?.text }),
  };
}

/** Where it comes from, and since when. */
function originOf(record: MemoryRecord | MemoryEntry) {
  const { createdAt, updatedAt, source, turn } = record;
  return withoutUndefined({
    createdAt,
    updatedAt,
    speaker: source?.speaker ?? turn?.speaker,
    kind: source?.kind,
    conversation: source?.conversation ?? turn?.thread,
  });
}
