import { estimateTokens } from '@keepsake/internal';
import { type Layout, NAMES } from '../files/layout.ts';
import type { SelectionChange } from '../generate/selection.ts';
import { asMaterial } from './material.ts';

/** How much of the notes is in the task. The model can read the rest. */
const MAX_NOTES_TOKENS = 60_000;

/** The changes and the most relevant files, so that the model needs few answers. */
export function consolidationTask(
  files: ReadonlyMap<string, string>,
  { memoryFile, summaryFile }: Layout,
  { added, updated, retained, removed, next }: SelectionChange,
): string {
  const list = (what: string, ids: readonly string[]) => `${what}: ${ids.length === 0 ? 'none' : ids.join(', ')}`;
  const changes = [
    list('added', added),
    list('updated', updated),
    list('retained', retained),
    list('removed', removed),
  ].join('\n');
  let left = MAX_NOTES_TOKENS;
  const shown: string[] = [];
  const wanted = next.selected.map(({ id }) => id).filter((id) => added.includes(id) || updated.includes(id));
  for (const path of [memoryFile, summaryFile, ...wanted.map(NAMES.rawMemory)]) {
    const text = files.get(path) ?? '';
    left -= estimateTokens(text);
    if (left < 0) shown.push(`<file path="${path}">not shown, since it is long: read it</file>`);
    else shown.push(`<file path="${path}">\n${asMaterial(text)}\n</file>`);
  }
  return [`<changes>\n${changes}\n</changes>`, ...shown].join('\n');
}
