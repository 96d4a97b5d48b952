import { isMemoryError, MemoryError, type MemoryModel, type MemoryTool } from '@keepsake/core';
import { checkFields, text } from './check-fields.ts';
import { type Layout, Paths } from './files/layout.ts';
import { Ledger } from './files/ledger.ts';
import type { Workspace } from './files/workspace.ts';
import { forgetRollout } from './generate/forget.ts';
import { generate } from './generate/generate.ts';
import type { GenerateProgress, GenerateReport } from './generate/report.ts';
import { type CheckedGenerate, checkOptions, type WorkspaceMemoryOptions } from './options.ts';
import { noteOpen } from './read/open-memories.ts';
import { type MemoryForRun, memoryTools, NO_MEMORY, readMemory } from './read/read-memory.ts';
import { type ConversationInfo, listConversations } from './transcript/list-conversations.ts';
import { encodeRolloutId, type RolloutNames, resolveRolloutId } from './transcript/rollout-id.ts';
import { appendSegment, type Run } from './transcript/run.ts';
import type { SegmentInput } from './transcript/segment.ts';

/**
 * What an agent learnt in its runs, as files that its next run reads.
 *
 * Runs are kept as they go, and distilled when the memory is closed: each conversation by itself into notes, and the notes
 * of all into the files that {@link WorkspaceMemory.read} gives from. Several processes may use one memory; one of them
 * distils at a time. A process that is killed leaves the memory as it was before, or as it was to be.
 *
 * Memories are told apart by their layout: the same layout is the same memory, whoever opens it.
 */
export class WorkspaceMemory {
  readonly layout: Layout;
  readonly #workspace: Workspace;
  readonly #model: MemoryModel | undefined;
  readonly #read: { readonly liveUpdate: boolean } | undefined;
  readonly #generate: CheckedGenerate | undefined;
  readonly #paths: Paths;
  readonly #ledger: Ledger;
  readonly #forgetOpen: () => void;
  #opened: Promise<void> | undefined;
  #generating: Promise<unknown> = Promise.resolve();
  readonly #appending = new Set<Promise<void>>();
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

  /** A run of a conversation: that of `conversationId`, else of the session, else of the group, else a new one. */
  run(names: RolloutNames = {}): Run {
    const rolloutId = resolveRolloutId(names);
    return {
      rolloutId,
      append: async (segment) => {
        this.#expectOpen();
        if (this.#generate === undefined) return;
        const appended = this.#append(rolloutId, segment);
        this.#appending.add(appended);
        await appended.finally(() => this.#appending.delete(appended));
        this.#debounce();
      },
    };
  }

  /**
   * What a run is given: the summary with a short guide, for its instructions, and tools that look further. Where there
   * is no memory yet, `instructions` is `''`.
   *
   * @param options - `rolloutId`: the conversation of the run, which what it updates rests on.
   */
  async read(options: ReadOptions = {}): Promise<MemoryForRun> {
    this.#expectOpen();
    const { rolloutId } = checkReadOptions(options);
    if (this.#read === undefined) return NO_MEMORY;
    return readMemory(this.#ledger, this.#paths, { ...this.#read, rolloutId });
  }

  /** The tools of {@link WorkspaceMemory.read} alone, for agents that are set up before their first run. */
  tools(options: ReadOptions = {}): MemoryTool[] {
    const { rolloutId } = checkReadOptions(options);
    return this.#read === undefined ? [] : memoryTools(this.#ledger, this.#paths, { ...this.#read, rolloutId });
  }

  /**
   * Distils what is new; waits for whoever does it already. What fails is in the report, and is tried again the next
   * time. Without `generate` nothing is done.
   *
   * @throws MemoryError `ABORTED` by the signal; what was finished until then stays.
   */
  async generate(
    options: { readonly signal?: AbortSignal; readonly onProgress?: (progress: GenerateProgress) => void } = {},
  ): Promise<GenerateReport> {
    this.#expectOpen();
    return this.#distil(options);
  }

  /** The conversations of this memory, newest first, and how far each is. */
  async conversations(): Promise<ConversationInfo[]> {
    this.#expectOpen();
    return listConversations(this.#workspace, this.#ledger, this.#paths);
  }

  /**
   * Removes a conversation, its notes, and all that rests on it alone; what rests on others too stays, without naming it.
   * Asks no model. Says whether there was anything to forget.
   */
  async forget(rolloutId: string): Promise<boolean> {
    this.#expectOpen();
    if (typeof rolloutId !== 'string')
      throw new MemoryError('INVALID_ARGUMENT', 'Say which conversation is to be forgotten: its id, a text.');
    return forgetRollout(this.#workspace, this.#ledger, this.#paths, encodeRolloutId(rolloutId));
  }

  /** Distils what is new, and ends. Later calls are `CLOSED`, but for another `close()`, which waits for the same. */
  close(
    options: { readonly signal?: AbortSignal; readonly onProgress?: (progress: GenerateProgress) => void } = {},
  ): Promise<GenerateReport> {
    clearTimeout(this.#timer);
    this.#closed ??= this.#distil(options).finally(this.#forgetOpen);
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #distil(options: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (progress: GenerateProgress) => void;
  }): Promise<GenerateReport> {
    const [config, model] = [this.#generate, this.#model];
    const task = async (): Promise<GenerateReport> => {
      if (config === undefined || model === undefined) return NOTHING;
      // What fails there is told to whoever appends.
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
    await appendSegment(this.#workspace, this.#paths, rolloutId, segment);
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

  /** Once, before the first write: reading makes no files. */
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
    if (this.#closed !== undefined) throw new MemoryError('CLOSED', 'The memory is closed. Open a new one.');
  }
}

interface ReadOptions {
  readonly rolloutId?: string | undefined;
}

function checkReadOptions(options: ReadOptions): ReadOptions {
  checkFields(options, 'the options', { rolloutId: text });
  return options;
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
