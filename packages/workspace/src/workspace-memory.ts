import { MemoryError, type MemoryTool } from '@keepsake/core';
import { expectFields, expectKnownFields } from '@keepsake/core/adapter';
import { type Layout, Paths } from './files/layout.ts';
import { Ledger } from './files/ledger.ts';
import { Distiller, GENERATE, type GenerateOptions } from './generate/distiller.ts';
import { forgetRollout } from './generate/forget.ts';
import type { GenerateReport } from './generate/report.ts';
import { type CheckedRead, checkOptions, type WorkspaceMemoryOptions } from './options.ts';
import type { MemoryFiles } from './read/memory-files.ts';
import { noteOpen } from './read/open-memories.ts';
import { type MemoryForRun, memoryTools, NO_MEMORY, readMemory } from './read/read-memory.ts';
import { type ConversationInfo, listConversations } from './transcript/list-conversations.ts';
import { closed, OpenRuns } from './transcript/open-runs.ts';
import { encodeRolloutId, type RolloutNames, resolveRolloutId } from './transcript/rollout-id.ts';
import { appendSegment, type Run, toSegment } from './transcript/run.ts';
import type { Segment } from './transcript/segment.ts';

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
  readonly #files: MemoryFiles;
  readonly #read: CheckedRead | undefined;
  readonly #keepsRuns: boolean;
  readonly #runs = new OpenRuns();
  readonly #distiller: Distiller;
  readonly #forgetOpen: () => void;
  #opened: Promise<void> | undefined;
  #closed: Promise<GenerateReport> | undefined;

  constructor(options: WorkspaceMemoryOptions) {
    const { workspace, model, layout, read, generate: config } = checkOptions(options);
    const paths = new Paths(layout);
    this.layout = layout;
    this.#files = { workspace, ledger: new Ledger(workspace, paths), paths };
    this.#read = read;
    this.#keepsRuns = config !== undefined;
    this.#distiller = new Distiller({ files: this.#files, model, config, appended: () => this.#runs.appended() });
    this.#forgetOpen = noteOpen(workspace, { layout, generate: config });
  }

  /** A run of a conversation: by `conversationId`, else the session, else the group, else a new one. */
  run(names: RolloutNames = {}): Run {
    const rolloutId = resolveRolloutId(names);
    return {
      rolloutId,
      append: async (segmentInput) => {
        this.#runs.expectAppendable();
        if (!this.#keepsRuns) return;
        // Before anything is awaited, because the caller may change it.
        await this.#runs.add(this.#append(toSegment(rolloutId, segmentInput)));
        this.#distiller.distilLater();
      },
      begin: (onClose) => {
        this.#expectOpen();
        return this.#runs.begin(onClose);
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
    return this.#distiller.distil(expectKnownFields(options, GENERATE));
  }

  /** The conversations of this memory, newest first, with their state. */
  async conversations(): Promise<ConversationInfo[]> {
    this.#expectOpen();
    const { workspace, ledger, paths } = this.#files;
    return listConversations(workspace, ledger, paths);
  }

  /**
   * Removes a conversation, its notes and everything that comes from it alone. Entries with other sources stay, without
   * naming it. Needs no model. Returns whether there was anything to forget.
   */
  async forget(rolloutId: string): Promise<boolean> {
    this.#expectOpen();
    if (typeof rolloutId !== 'string')
      throw new MemoryError('INVALID_ARGUMENT', 'Pass the id of the conversation to forget, a string.');
    const { workspace, ledger, paths } = this.#files;
    return forgetRollout(workspace, ledger, paths, encodeRolloutId(rolloutId));
  }

  /**
   * Lets runs finish that have begun (see {@link Run.begin}), distils new content and closes the memory. Later calls reject
   * with `CLOSED`, except `close()`, which waits for the same result.
   */
  async close(options: GenerateOptions = {}): Promise<GenerateReport> {
    const checkedOptions = expectKnownFields(options, GENERATE);
    this.#distiller.stop();
    this.#closed ??= this.#closeOnce(checkedOptions).finally(this.#forgetOpen);
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #closeOnce(options: GenerateOptions): Promise<GenerateReport> {
    await this.#runs.finish(options.signal);
    return this.#distiller.distil(options);
  }

  async #append(segment: Segment): Promise<void> {
    await this.#open();
    const { workspace, ledger, paths } = this.#files;
    await appendSegment(workspace, ledger, paths, segment);
  }

  /** Once, before the first write, because reading creates no files. */
  async #open(): Promise<void> {
    this.#opened ??= this.#files.ledger.open();
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

interface ReadOptions {
  readonly rolloutId?: string | undefined;
}

function checkReadOptions(options: ReadOptions): ReadOptions {
  return expectFields(options, '', { rolloutId: 'string' });
}
