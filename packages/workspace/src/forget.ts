import { rolloutsIn } from './bullets.ts';
import { belongsTo, differences } from './consolidate.ts';
import { forgetRollouts } from './forget-rollouts.ts';
import { NAMES, type Paths } from './layout.ts';
import type { Ledger } from './ledger.ts';
import { readQueue, writeQueue } from './queue.ts';
import { readSelection, writeSelection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/** Removes a conversation, its notes, and all that rests on it alone, at once. Says whether there was anything. */
export async function forgetRollout(workspace: Workspace, ledger: Ledger, paths: Paths, id: string): Promise<boolean> {
  const session = paths.session(id);
  const isThere = async () => {
    const memory = (await ledger.read(paths.memory(paths.layout.memoryFile)))?.text ?? '';
    if (rolloutsIn(memory).includes(id) || Object.hasOwn(await readQueue(ledger, paths), id)) return true;
    return (await workspace.read(session)) !== undefined;
  };
  if (!(await isThere())) return false;
  const lease = await ledger.lease();
  try {
    if (!(await isThere())) return false;
    await ledger.commit(async () => {
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
        files.set(
          NAMES.rawMemories,
          selection.selected.map((each) => files.get(NAMES.rawMemory(each.id)) ?? '').join('\n'),
        );
      }
      return [...differences(files, snapshot, paths), { path: session, base: undefined, text: null }];
    }, lease);
    return true;
  } finally {
    await lease.release();
  }
}
