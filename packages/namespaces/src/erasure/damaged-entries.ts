import type { RecordStore } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import { type Principal, principalName } from '../space/principal.ts';

/**
 * Compacts a shared namespace without what damage left of entries that can be by the principal. Keeps what names another
 * writer, so that it can be repaired. Returns how many remains were removed.
 */
export async function compactDamaged(place: RecordStore, principal: Principal): Promise<number> {
  let isDamaged = false;
  await place.compact?.({
    discard() {
      isDamaged = true;
      return false;
    },
  });
  if (!isDamaged) return 0;
  const others = await otherWriters(place, principal);
  let removed = 0;
  await place.compact?.({
    discard(remains) {
      const isKept = isBy(others, remains);
      if (!isKept) removed++;
      return !isKept;
    },
  });
  return removed;
}

/** The other writers of current entries. A name that none of these has can be the name of the principal, damaged. */
async function otherWriters(place: RecordStore, principal: Principal): Promise<ReadonlySet<unknown>> {
  const writers = new Set<unknown>();
  for await (const { metadata } of allItems((options) => place.list({ ...options, history: true }))) {
    writers.add(metadata.writtenBy);
  }
  writers.delete(principalName(principal));
  return writers;
}

/** Whether a text of stored entries names only these writers, at least one. Quotes within content are escaped there. */
function isBy(writers: ReadonlySet<unknown>, remains: string): boolean {
  const named = Array.from(remains.matchAll(/"writtenBy":"((?:[^"\\]|\\.)*)"/g), ([, name]) => readName(String(name)));
  return named.length > 0 && named.every((name) => writers.has(name));
}

function readName(escaped: string): string | undefined {
  try {
    return JSON.parse(`"${escaped}"`) as string;
  } catch {
    return undefined;
  }
}
