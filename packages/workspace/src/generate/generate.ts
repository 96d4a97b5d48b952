import { isMemoryError, MemoryError, type MemoryModel } from '@keepsake/core';
import type { Paths } from '../files/layout.ts';
import type { Lease } from '../files/lease.ts';
import type { Ledger } from '../files/ledger.ts';
import { readQueue } from '../files/queue.ts';
import type { Workspace } from '../files/workspace.ts';
import type { CheckedGenerate } from '../options.ts';
import { marksOfSessions } from '../transcript/transcript-files.ts';
import { type Consolidation, consolidate, isToConsolidate } from './consolidate.ts';
import { aborted, Meter } from './cost.ts';
import { type Extraction, extract, isExtracted, pendingRollouts } from './extract.ts';
import type { GenerateProgress, GenerateReport } from './report.ts';

/** The input of a generation. */
export interface Generation {
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  readonly paths: Paths;
  readonly model: MemoryModel;
  readonly config: CheckedGenerate;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: GenerateProgress) => void) | undefined;
}

const NO_USAGE = { calls: 0, inputTokens: 0, outputTokens: 0 };

/**
 * Extracts new content and rewrites the memory. Failures are in the report and are retried at the next generation.
 *
 * @throws MemoryError `ABORTED`, `TIMEOUT` if another process keeps distilling, and errors of the workspace.
 */
export async function generate(generation: Generation): Promise<GenerateReport> {
  const { ledger, signal } = generation;
  if (!(await isAnythingNew(generation)))
    return { extracted: [], empty: [], failed: [], consolidated: false, usage: NO_USAGE };
  const lease = await ledger.lease(signal);
  try {
    return await generateUnder(generation, lease);
  } catch (error) {
    throw signal?.aborted && !isMemoryError(error, 'ABORTED') ? aborted() : error;
  } finally {
    await lease.release();
  }
}

/** Reads no transcript, and needs no lease: while another process generates, its conversations are new or unselected. */
async function isAnythingNew({ workspace, ledger, paths, config }: Generation): Promise<boolean> {
  const marks = await marksOfSessions(workspace, paths);
  if (marks.size === 0) return false;
  const queue = await readQueue(ledger, paths);
  if ([...marks].some(([id, mark]) => !isExtracted(queue[id], mark))) return true;
  return isToConsolidate({ ...config, ledger, paths });
}

async function generateUnder(generation: Generation, lease: Lease): Promise<GenerateReport> {
  const { config, onProgress } = generation;
  const meter = new Meter(generation.model, config);
  const signal = AbortSignal.any([lease.signal, ...(generation.signal ? [generation.signal] : [])]);
  const work = { ...generation, ...config, meter, signal } satisfies Extraction & Consolidation;
  const pending = await pendingRollouts(work);
  const tell = (phase: GenerateProgress['phase'], done: number) =>
    onProgress?.({ phase, done, total: pending.length, usage: meter.usage });

  const extracted: string[] = [];
  const empty: string[] = [];
  const failed: { rolloutId: string; error: MemoryError }[] = [];
  for (const [done, each] of pending.entries()) {
    tell('extraction', done);
    const rolloutId = each.fresh.segments[0]?.rolloutId ?? each.id;
    try {
      const hasNotes = await extract(work, each, lease);
      (hasNotes ? extracted : empty).push(rolloutId);
    } catch (error) {
      if (signal.aborted) throw lease.signal.aborted ? lease.signal.reason : aborted();
      // The budget may be too small for one conversation but enough for another.
      failed.push({ rolloutId, error: toMemoryError(error) });
    }
  }

  tell('consolidation', pending.length);
  try {
    const consolidated = await consolidate(work, lease);
    return { extracted, empty, failed, consolidated, usage: meter.usage };
  } catch (error) {
    if (signal.aborted) throw lease.signal.aborted ? lease.signal.reason : aborted();
    return {
      extracted,
      empty,
      failed,
      consolidated: false,
      consolidationError: toMemoryError(error),
      usage: meter.usage,
    };
  }
}

/** Messages of foreign errors may contain anything. */
function toMemoryError(error: unknown): MemoryError {
  return isMemoryError(error)
    ? error
    : new MemoryError('BACKEND', 'The model failed, see the cause.', { cause: error });
}
