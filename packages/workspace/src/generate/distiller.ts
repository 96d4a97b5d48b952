import { isMemoryError, MemoryError, type MemoryModel } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import type { CheckedGenerate } from '../options.ts';
import type { MemoryFiles } from '../read/memory-files.ts';
import { generate } from './generate.ts';
import type { GenerateProgress, GenerateReport } from './report.ts';

/** Options of a generation. */
export interface GenerateOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: GenerateProgress) => void) | undefined;
}

export const GENERATE: FieldNames<GenerateOptions> = { signal: true, onProgress: true };

/** What a distiller works on. */
interface Work {
  readonly files: MemoryFiles;
  readonly model: MemoryModel | undefined;
  /** `undefined` to generate nothing. */
  readonly config: CheckedGenerate | undefined;
  /** Waits for what is being appended. */
  readonly appended: () => Promise<void>;
}

/** Generates a memory, once at a time: on request, and after a pause. */
export class Distiller {
  readonly #work: Work;
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(work: Work) {
    this.#work = work;
  }

  /** See `WorkspaceMemory.generate`. */
  async distil({ signal, onProgress }: GenerateOptions): Promise<GenerateReport> {
    const { files, model, config, appended } = this.#work;
    const task = async (): Promise<GenerateReport> => {
      if (config === undefined || model === undefined) return NOTHING;
      await appended();
      return generate({ ...files, model, config, signal, onProgress });
    };
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Generates `debounceMs` after the last call, if it is set. */
  distilLater(): void {
    const { debounceMs, onReport = warn } = this.#work.config ?? {};
    if (debounceMs === undefined || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.distil({}).then(onReport, (error) => onReport(failed(error)));
    }, debounceMs);
    this.#timer.unref();
  }

  /** Generates only on request from now on. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#isStopped = true;
  }
}

const NOTHING: GenerateReport = {
  extracted: [],
  empty: [],
  failed: [],
  consolidated: false,
  usage: { calls: 0, inputTokens: 0, outputTokens: 0 },
};

function failed(error: unknown): GenerateReport {
  const failure = isMemoryError(error) ? error : new MemoryError('BACKEND', 'Generation failed.', { cause: error });
  return { ...NOTHING, consolidationError: failure };
}

function warn({ failed: left, consolidationError }: GenerateReport): void {
  for (const { error } of left) console.warn(`keepsake: a conversation stays queued. ${error.message}`);
  if (consolidationError !== undefined)
    console.warn(`keepsake: the memory is as it was. ${consolidationError.message}`);
}
