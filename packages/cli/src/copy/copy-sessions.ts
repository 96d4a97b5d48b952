import type { SessionStore } from '@keepsake/core';
import { allItems, nextTurn } from '@keepsake/internal';
import type { CopyJob } from './copy-job.ts';
import { itemsDigest } from './digests.ts';
import { readAhead } from './read-ahead.ts';

const BATCH_ITEMS = 500;

/** The ids of all sessions, least recently active first, so that copies are listed in the same order. */
async function sessionIds(sessions: SessionStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { sessionId } of allItems((options) => sessions.list(options))) ids.push(sessionId);
  return ids.reverse();
}

/**
 * Copies the items that the other sessions lack. Leaves a session as it is if its items are not the beginning of those to
 * copy: somebody else wrote to it.
 */
export async function copySessions(
  from: SessionStore,
  to: SessionStore,
  { signal, sessions, onStep }: CopyJob,
): Promise<void> {
  for await (const { copy, items, copiedItems } of readAhead(bothEnds(from, to))) {
    const isBeginning = itemsDigest(copiedItems) === itemsDigest(items.slice(0, copiedItems.length));
    const missing = isBeginning ? items.slice(copiedItems.length) : [];
    if (missing.length === 0) sessions.alreadyThere++;
    for (let start = 0; start < missing.length; start += BATCH_ITEMS) {
      await copy.addItems(missing.slice(start, start + BATCH_ITEMS));
      signal.throwIfAborted();
    }
    if (missing.length > 0) sessions.copied++;
    onStep();
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Each session with its items at both ends. */
export async function* bothEnds(from: SessionStore, to: SessionStore) {
  for (const id of await sessionIds(from)) {
    const copy = to.open<object>(id);
    const [items, copiedItems] = await Promise.all([from.open<object>(id).getItems(), copy.getItems()]);
    yield { id, copy, items, copiedItems };
  }
}
