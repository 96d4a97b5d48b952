import { isMemoryError, MemoryError, type MemoryModel, type MemoryTool } from '@keepsake/core';
import { expectFields, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { pause } from '@keepsake/internal';
import { type Layout, Paths } from './files/layout.ts';
import { Ledger } from './files/ledger.ts';
import type { Workspace } from './files/workspace.ts';
import { forgetRollout } from './generate/forget.ts';
import { generate } from './generate/generate.ts';
import type { GenerateProgress, GenerateReport } from './generate/report.ts';
import { type CheckedGenerate, type CheckedRead, checkOptions, type WorkspaceMemoryOptions } from './options.ts';
import type { MemoryFiles } from './read/memory-files.ts';
import { noteOpen } from './read/open-memories.ts';
import { type MemoryForRun, memoryTools, NO_MEMORY, readMemory } from './read/read-memory.ts';
import { type ConversationInfo, listConversations } from './transcript/list-conversations.ts';
import { encodeRolloutId, type RolloutNames, resolveRolloutId } from './transcript/rollout-id.ts';
import { appendSegment, type Run } from './transcript/run.ts';
import type { SegmentInput } from './transcript/segment.ts';

/**
 * What an agent learned in its runs, as files that its next run reads.
 *
 * Runs are stored as they happen, and distilled when the memory is closed: each conversation into notes, and all notes into
 * the files that {@link WorkspaceMemory.read} uses. Many processes can use one memory; one of them distils at a time. A
 * killed process leaves the memory as it was before or after a change.
 *
 * The layout identifies a memory: the same layout is the same memory.
 */
export class WorkspaceMemory {
  readonly layout: Layout;
  readonly #workspace: Workspace;
  readonly #model: MemoryModel | undefined;
  readonly #read: CheckedRead | undefined;
  readonly #generate: CheckedGenerate | undefined;
  readonly #paths: Paths;
  readonly #ledger: Ledger;
  readonly #forgetOpen: () => void;
  #opened: Promise<void> | undefined;
  #generating: Promise<unknown> = Promise.resolve();
  readonly #appending = new Set<Promise<void>>();
  readonly #begun = new Set<() => Promise<unknown>>();
  #isAppendable = true;
  #timer: NodeJS.Timeout | undefined;
  #closed: Promise<GenerateReport> | undefined;

  constructor(options: WorkspaceMemoryOptions) {
    const { workspace, model, layout, read, generate } = checkOptions(options);
    this.layout = layout;
    this.#workspace = workspace;
    this.#model = model;
    this.#read = read;
    this.#generate = generate;
    this.#paths = new Paths(layout);
    this.#ledger = new Ledger(workspace, this.#paths);
    this.#forgetOpen = noteOpen(workspace, { layout, generate });
  }

  /** A run of a conversation: by `conversationId`, else the session, else the group, else a new one. */
  run(names: RolloutNames = {}): Run {
    const rolloutId = resolveRolloutId(names);
    return {
      rolloutId,
      append: async (segment) => {
        // Also while it closes, for runs that have begun.
        if (!this.#isAppendable) throw closed();
        if (this.#generate === undefined) return;
        const appended = this.#append(rolloutId, segment);
        this.#appending.add(appended);
        await appended.finally(() => this.#appending.delete(appended));
        this.#debounce();
      },
      begin: (onClose) => {
        this.#expectOpen();
        if (typeof onClose !== 'function')
          throw new MemoryError('INVALID_ARGUMENT', '`onClose` must be a function that appends the run.');
        // A function of its own, so that two runs can pass the same one.
        const finish = () => onClose();
        this.#begun.add(finish);
        return () => void this.#begun.delete(finish);
      },
    };
  }

  /**
   * The memory for a run: the summary with a short guide for its instructions, and tools that look further. If there is no
   * memory yet, or it can't be read (see `read.onError`), `instructions` is `''`.
   *
   * @param options - `rolloutId`: the conversation of the run, the source of its updates.
   */
  async read(options: ReadOptions = {}): Promise<MemoryForRun> {
    this.#expectOpen();
    const { rolloutId } = checkReadOptions(options);
    if (this.#read === undefined) return NO_MEMORY;
    return readMemory(this.#files, { ...this.#read, rolloutId });
  }

  /** Only the tools of {@link WorkspaceMemory.read}, for agents that are set up before their first run. */
  tools(options: ReadOptions = {}): MemoryTool[] {
    const { rolloutId } = checkReadOptions(options);
    return this.#read === undefined ? [] : memoryTools(this.#files, { ...this.#read, rolloutId });
  }

  /**
   * Distils new content, after waiting for any other process that is distilling. Failures are in the report and are retried
   * the next time. Without `generate`, does nothing.
   *
   * @throws MemoryError `ABORTED` by the signal; finished work stays.
   */
  async generate(options: GenerateOptions = {}): Promise<GenerateReport> {
    this.#expectOpen();
    expectKnownFields(options, GENERATE);
    return this.#distil(options);
  }

  /** The conversations of this memory, newest first, with their state. */
  async conversations(): Promise<ConversationInfo[]> {
    this.#expectOpen();
    return listConversations(this.#workspace, this.#ledger, this.#paths);
  }

  /**
   * Removes a conversation, its notes and everything that comes from it alone. Entries with other sources stay, without
   * naming it. Needs no model. Returns whether there was anything to forget.
   */
  async forget(rolloutId: string): Promise<boolean> {
    this.#expectOpen();
    if (typeof rolloutId !== 'string')
      throw new MemoryError('INVALID_ARGUMENT', 'Pass the id of the conversation to forget, a string.');
    return forgetRollout(this.#workspace, this.#ledger, this.#paths, encodeRolloutId(rolloutId));
  }

  /**
   * Lets runs finish that have begun (see {@link Run.begin}), distils new content and closes the memory. Later calls reject
   * with `CLOSED`, except `close()`, which waits for the same result.
   */
  async close(options: GenerateOptions = {}): Promise<GenerateReport> {
    expectKnownFields(options, GENERATE);
    clearTimeout(this.#timer);
    this.#closed ??= this.#closeOnce(options).finally(this.#forgetOpen);
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #closeOnce(options: GenerateOptions): Promise<GenerateReport> {
    await this.#finishRuns(options.signal);
    await Promise.allSettled(this.#appending);
    this.#isAppendable = false;
    return this.#distil(options);
  }

  /** Waits for the runs that have begun. The memory closes even if one of them never ends. */
  async #finishRuns(signal: AbortSignal | undefined): Promise<void> {
    if (this.#begun.size === 0) return;
    const patience = new AbortController();
    const runs = Promise.allSettled(Array.from(this.#begun, async (finish) => finish()));
    const ended = runs.finally(() => patience.abort());
    const timeLeft = pause(RUNS_MS, AbortSignal.any([patience.signal, ...(signal ? [signal] : [])]));
    await Promise.race([ended, timeLeft]);
  }

  async #distil(options: GenerateOptions): Promise<GenerateReport> {
    const [config, model] = [this.#generate, this.#model];
    const task = async (): Promise<GenerateReport> => {
      if (config === undefined || model === undefined) return NOTHING;
      // The caller of append gets the error.
      await Promise.allSettled(this.#appending);
      return generate({
        workspace: this.#workspace,
        ledger: this.#ledger,
        paths: this.#paths,
        model,
        config,
        signal: options.signal,
        onProgress: options.onProgress,
      });
    };
    const result = this.#generating.then(task);
    this.#generating = result.catch(() => {});
    return result;
  }

  async #append(rolloutId: string, segment: SegmentInput): Promise<void> {
    await this.#open();
    await appendSegment(this.#workspace, this.#ledger, this.#paths, rolloutId, segment);
  }

  #debounce(): void {
    const { debounceMs, onReport = warn } = this.#generate ?? {};
    if (debounceMs === undefined || this.#closed !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#distil({}).then(onReport, (error) => onReport(failed(error)));
    }, debounceMs);
    this.#timer.unref();
  }

  get #files(): MemoryFiles {
    return { workspace: this.#workspace, ledger: this.#ledger, paths: this.#paths };
  }

  /** Once, before the first write, because reading creates no files. */
  async #open(): Promise<void> {
    this.#opened ??= this.#ledger.open();
    try {
      await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  #expectOpen(): void {
    if (this.#closed !== undefined) throw closed();
  }
}

interface GenerateOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: GenerateProgress) => void) | undefined;
}

const GENERATE: FieldNames<GenerateOptions> = { signal: true, onProgress: true };

interface ReadOptions {
  readonly rolloutId?: string | undefined;
}

function checkReadOptions(options: ReadOptions): ReadOptions {
  expectFields(options, '', { rolloutId: 'string' });
  return options;
}

/** How long `close()` waits for runs that have begun. */
const RUNS_MS = 30_000;

function closed(): MemoryError {
  return new MemoryError('CLOSED', 'This memory is closed. Open a new one.');
}

const NOTHING: GenerateReport = {
  extracted: [],
  empty: [],
  failed: [],
  consolidated: false,
  usage: { calls: 0, inputTokens: 0, outputTokens: 0 },
};

function failed(error: unknown): GenerateReport {
  const known = isMemoryError(error) ? error : new MemoryError('BACKEND', 'Generation failed.', { cause: error });
  return { ...NOTHING, consolidationError: known };
}

function warn({ failed: left, consolidationError }: GenerateReport): void {
  for (const { error } of left) console.warn(`keepsake: a conversation stays queued. ${error.message}`);
  if (consolidationError !== undefined)
    console.warn(`keepsake: the memory is as it was. ${consolidationError.message}`);
}
