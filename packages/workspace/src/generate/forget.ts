import { isMemoryError, MemoryError } from '@keepsake/core';
import type { Change } from '../files/control-file.ts';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Lease } from '../files/lease.ts';
import type { Ledger } from '../files/ledger.ts';
import { readQueue, writeQueue } from '../files/queue.ts';
import type { Workspace } from '../files/workspace.ts';
import { readTranscript } from '../transcript/transcript-files.ts';
import { rolloutsIn } from './bullets.ts';
import { belongsTo, differences } from './consolidate.ts';
import { forgetRollouts } from './forget-rollouts.ts';
import { joinNotes } from './live-notes.ts';
import { readSelection, writeSelection } from './selection.ts';

/** How many times to try while the conversation continues. */
const MAX_TRIES = 100;

/**
 * Atomically removes a conversation, its notes and everything that comes from it alone. Returns whether there was anything.
 */
export async function forgetRollout(workspace: Workspace, ledger: Ledger, paths: Paths, id: string): Promise<boolean> {
  const isThere = async () => {
    const memory = (await ledger.read(paths.memory(paths.layout.memoryFile)))?.text ?? '';
    if (rolloutsIn(memory).includes(id) || Object.hasOwn(await readQueue(ledger, paths), id)) return true;
    return (await readTranscript(workspace, paths, id)) !== undefined;
  };
  if (!(await isThere())) return false;
  const lease = await ledger.lease();
  try {
    if (!(await isThere())) return false;
    for (let attempt = 0; attempt < MAX_TRIES; attempt++)
      if (await removeAll(workspace, ledger, paths, id, lease)) return true;
    throw new MemoryError('TIMEOUT', 'The conversation keeps growing. Try again when it is idle.');
  } finally {
    await lease.release();
  }
}

/** Returns whether the transcript is gone too. One that has grown in the meantime stays. */
async function removeAll(
  workspace: Workspace,
  ledger: Ledger,
  paths: Paths,
  id: string,
  lease: Lease,
): Promise<boolean> {
  const session = paths.session(id);
  let transcript: string | undefined;
  try {
    await ledger.commit(async () => {
      const transcriptFile = await readTranscript(workspace, paths, id);
      transcript = transcriptFile?.appended;
      return [...(await withoutRollout(ledger, paths, id)), ...(transcriptFile?.removal ?? [])];
    }, lease);
  } catch (error) {
    if (!isMemoryError(error, 'CONFLICT') || lease.signal.aborted) throw error;
    return false;
  }
  if (!transcript) return true;
  // A transcript with another beginning is a new one.
  return !(await workspace.read(session))?.text.startsWith(transcript);
}

/** The changes that remove it from the memory's files. */
async function withoutRollout(ledger: Ledger, paths: Paths, id: string): Promise<Change[]> {
  const snapshot = await ledger.snapshot(paths.layout.memoriesDir);
  const before = new Map(Array.from(snapshot, ([path, { text }]) => [paths.nameOf(path), text]));
  const files = forgetRollouts(before, paths.layout, new Set([id]));
  for (const path of before.keys()) if (belongsTo(path, id)) files.delete(path);

  const { selected, removed } = await readSelection(ledger, paths);
  const others = <T extends { readonly id: string }>(list: readonly T[]) => list.filter((each) => each.id !== id);
  const selection = { selected: others(selected), removed: others(removed) };
  const { [id]: _, ...queue } = await readQueue(ledger, paths);
  if (before.has(NAMES.queue)) files.set(NAMES.queue, writeQueue(queue));
  if (before.has(NAMES.selection)) files.set(NAMES.selection, writeSelection(selection));
  if (before.has(NAMES.rawMemories)) {
    const ids = selection.selected.map((each) => each.id);
    files.set(NAMES.rawMemories, joinNotes(files, ids));
  }
  return differences(files, snapshot, paths);
}
