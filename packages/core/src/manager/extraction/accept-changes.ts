import { MemoryError } from '../../common/errors.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import { plainText } from '../injection/plain-text.ts';
import type { MemoryChange } from './extraction-config.ts';
import type { PlannedChange } from './run.ts';

/**
 * The allowed changes of an extractor: to memories that it was shown, each once, and no additions that are already known. An
 * update of another memory becomes an addition.
 */
export function acceptChanges(
  changes: readonly MemoryChange[],
  known: readonly MemoryEntry[],
  revisable: boolean,
  isRecalled: (plain: string) => boolean,
): PlannedChange[] {
  const shown = new Map(known.map((entry) => [entry.id, entry.content]));
  const said = new Set(known.map(({ content }) => plainText(content)));
  const touched = new Set<string>();
  if (!Array.isArray(changes)) throw new MemoryError('BACKEND', 'The extractor did not return a list of changes.');
  return (changes as readonly MemoryChange[]).flatMap((change): PlannedChange[] => {
    if (change.kind !== 'add' && revisable && shown.has(change.id)) {
      if (touched.has(change.id)) return [];
      touched.add(change.id);
      return [change.kind === 'delete' ? { ...change, was: shown.get(change.id) as string } : change];
    }
    if (change.kind === 'delete') return [];
    const plain = plainText(change.content);
    if (plain === '' || said.has(plain) || isRecalled(plain)) return [];
    said.add(plain);
    return [{ kind: 'add', content: change.content }];
  });
}
