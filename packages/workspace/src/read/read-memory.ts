import { isMemoryError, MemoryError, type MemoryTool } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import { MAX_SUMMARY_TOKENS } from '../generate/check-memory.ts';
import type { CheckedRead } from '../options.ts';
import { readGuide } from '../prompts/read-guide.ts';
import type { MemoryFiles } from './memory-files.ts';
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

interface ReadOptions extends CheckedRead {
  readonly rolloutId: string | undefined;
}

export function memoryTools(files: MemoryFiles, { liveUpdate, onError, rolloutId }: ReadOptions): MemoryTool[] {
  const { ledger, paths } = files;
  const tools = [memorySearch(ledger, paths), memoryOpen(ledger, paths)].map((tool) => failingOpen(tool, onError));
  return liveUpdate ? [...tools, memoryUpdate(files, rolloutId)] : tools;
}

export async function readMemory(files: MemoryFiles, options: ReadOptions): Promise<MemoryForRun> {
  const { ledger, paths } = files;
  const read = async () => (await ledger.read(paths.memory(paths.layout.summaryFile)))?.text.trim() ?? '';
  const summary = await orElse(read, '', options.onError);
  const tools = memoryTools(files, options);
  const instructions = summary === '' ? '' : readGuide(paths.layout, withinLimit(summary), options.liveUpdate);
  return { instructions, tools };
}

/** A tool that tells the model if the memory can't be read. */
function failingOpen(tool: MemoryTool, onError: CheckedRead['onError']): MemoryTool {
  const unavailable = { unavailable: true, why: "The memory can't be read at the moment. Go on without it." };
  return {
    ...tool,
    execute: (input, context) => orElse(async () => tool.execute(input, context), unavailable, onError),
  };
}

/** The result, or `fallback` if the memory fails. A mistake of the caller still throws. */
async function orElse<T>(read: () => Promise<T>, fallback: T, onError: CheckedRead['onError']): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isMemoryError(error, 'INVALID_ARGUMENT')) throw error;
    const failure = isMemoryError(error) ? error : new MemoryError('BACKEND', 'Reading failed.', { cause: error });
    onError(failure);
    return fallback;
  }
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
