import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SessionStore } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import type { CopyJob } from './copy-job.ts';
import { itemsDigest } from './digests.ts';

const BATCH_ITEMS = 500;

/** The ids of all sessions, least recently active first, so that copies are listed in the same order. */
export async function sessionIds(sessions: SessionStore): Promise<string[]> {
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
  for (const id of await sessionIds(from)) {
    const items = await from.open<object>(id).getItems();
    const copy = to.open<object>(id);
    const known = await copy.getItems();
    const isBeginning = itemsDigest(known) === itemsDigest(items.slice(0, known.length));
    const missing = isBeginning ? items.slice(known.length) : [];
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
