import { estimateTokens } from '@keepsake/internal';
import { type Layout, NAMES } from '../files/layout.ts';
import { LIVE_NOTES } from '../generate/live-notes.ts';
import type { SelectionChange } from '../generate/selection.ts';
import { asMaterial } from './material.ts';

/**
 * The changes and the most relevant files, so that the model needs few answers.
 *
 * @param maxTokens - How much of the files is shown. The model can read the rest.
 */
export function consolidationTask(
  files: ReadonlyMap<string, string>,
  { memoryFile, summaryFile }: Layout,
  { added, updated, retained, removed, next }: SelectionChange,
  maxTokens: number,
): string {
  const list = (what: string, ids: readonly string[]) => `${what}: ${ids.length === 0 ? 'none' : ids.join(', ')}`;
  const changes = [
    list('added', added),
    list('updated', updated),
    list('retained', retained),
    list('removed', removed),
  ].join('\n');
  let left = maxTokens;
  const shown: string[] = [];
  const wanted = next.selected.map(({ id }) => id).filter((id) => added.includes(id) || updated.includes(id));
  const ofRuns = files.get(LIVE_NOTES) ? [LIVE_NOTES] : [];
  for (const path of [memoryFile, summaryFile, ...ofRuns, ...wanted.map(NAMES.rawMemory)]) {
    const text = files.get(path) ?? '';
    left -= estimateTokens(text);
    if (left < 0) shown.push(`<file path="${path}">not shown, since it is long: read it</file>`);
    else shown.push(`<file path="${path}">\n${asMaterial(text)}\n</file>`);
  }
  return [`<changes>\n${changes}\n</changes>`, ...shown].join('\n');
}
