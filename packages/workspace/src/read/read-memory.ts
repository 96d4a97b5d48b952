import type { MemoryTool } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import type { Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { MAX_SUMMARY_TOKENS } from '../generate/check-memory.ts';
import { readGuide } from '../prompts/read-guide.ts';
import { memoryOpen } from './memory-open.ts';
import { memorySearch } from './memory-search.ts';
import { memoryUpdate } from './memory-update.ts';

/** The memory for a run. */
export interface MemoryForRun {
  /** For the run's instructions; `''` if there is no memory yet. */
  readonly instructions: string;
  /** `memory_search`, `memory_open` and, with `liveUpdate`, `memory_update`. */
  readonly tools: readonly MemoryTool[];
}

export const NO_MEMORY: MemoryForRun = { instructions: '', tools: [] };

interface ReadOptions {
  readonly liveUpdate: boolean;
  readonly rolloutId: string | undefined;
}

export function memoryTools(ledger: Ledger, paths: Paths, { liveUpdate, rolloutId }: ReadOptions): MemoryTool[] {
  const tools = [memorySearch(ledger, paths), memoryOpen(ledger, paths)];
  return liveUpdate ? [...tools, memoryUpdate(ledger, paths, rolloutId)] : tools;
}

export async function readMemory(
  ledger: Ledger,
  paths: Paths,
  { liveUpdate, rolloutId }: ReadOptions,
): Promise<MemoryForRun> {
  const summary = (await ledger.read(paths.memory(paths.layout.summaryFile)))?.text.trim() ?? '';
  const tools = memoryTools(ledger, paths, { liveUpdate, rolloutId });
  const instructions = summary === '' ? '' : readGuide(paths.layout, withinLimit(summary), liveUpdate);
  return { instructions, tools };
}

/** Cuts at a line break. */
function withinLimit(summary: string): string {
  if (estimateTokens(summary) <= MAX_SUMMARY_TOKENS) return summary;
  const kept: string[] = [];
  let tokens = 100;
  for (const line of summary.split('\n')) {
    tokens += estimateTokens(`${line}\n`);
    if (tokens > MAX_SUMMARY_TOKENS) break;
    kept.push(line);
  }
  return [...kept, '(The rest of the summary is left out, since it is too long. Use memory_search.)'].join('\n');
}
