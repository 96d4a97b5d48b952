import { MemoryError } from '@keepsake/core';
import { unlessChanged } from '../unless-changed.ts';
import type { MemoryWorkspace } from './memory-workspace.ts';

const MAX_ATTEMPTS = 20;

/** Why files could not be moved: a target was there, or a source was gone. */
export type MoveProblem = 'exists' | 'gone';

interface Move {
  readonly from: string;
  readonly to: string;
}
interface Copied extends Move {
  /** The version of the source that was copied. */
  source: string;
  /** The version of the copy. */
  copy: string;
}

/**
 * Moves files, all or none. A target that is there is never overwritten, and of two processes that move the same file one
 * succeeds. A process that is killed in between leaves copies at the targets, and loses nothing.
 */
export async function moveFiles(workspace: MemoryWorkspace, moves: readonly Move[]): Promise<MoveProblem | undefined> {
  const copied: Copied[] = [];
  const undo = async (problem: MoveProblem) => {
    for (const { to, copy } of copied) await unlessChanged(workspace.delete(to, { ifVersion: copy }));
    return problem;
  };
  for (const move of moves) {
    const file = await workspace.read(move.from);
    if (file === undefined) return undo('gone');
    const copy = await unlessChanged(workspace.write(move.to, file.text, { ifVersion: null }));
    if (copy === undefined) return undo('exists');
    copied.push({ ...move, source: file.version, copy });
  }
  for (const [index, one] of copied.entries()) {
    if (await removeSource(workspace, one)) continue;
    // All move the first file first, so whoever finds it gone is late. Another file was deleted, and stays so.
    if (index === 0) return undo('gone');
    await unlessChanged(workspace.delete(one.to, { ifVersion: one.copy }));
  }
  return undefined;
}

/** Removes a source that was copied, after copying it again if it has changed. Returns whether it was there. */
async function removeSource(workspace: MemoryWorkspace, one: Copied): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const removed = await unlessChanged(workspace.delete(one.from, { ifVersion: one.source }));
    if (removed !== undefined) return removed;
    const file = await workspace.read(one.from);
    if (file === undefined) return false;
    one.copy = await workspace.write(one.to, file.text, { ifVersion: one.copy });
    one.source = file.version;
  }
  throw new MemoryError('CONFLICT', `This file keeps changing; gave up after ${MAX_ATTEMPTS} attempts. Try again.`);
}
