import type { JsonObject } from '@keepsake/core';
import { isMemoryError, MemoryError } from '@keepsake/core';
import type { RunInput } from '../runs/run.ts';
import type { SaveResult } from './handle-results.ts';

/** The state of an open run, as the caller saves it. */
export type OpenRunInput<Item extends object = JsonObject> = Omit<RunInput<Item>, 'runId' | 'version' | 'replaces'>;

/** What an open run needs. */
export interface OpenRunParts<Item extends object> {
  readonly runId: string;
  readonly version: number;
  readonly replaces: number | undefined;
  readonly staleAfterMs: number;
  save(run: RunInput<Item>): Promise<SaveResult>;
  heartbeat(run: { readonly runId: string; readonly version: number }): Promise<boolean>;
  /** Called once, after a save with a status other than `running`. */
  ended(): void;
}

/**
 * A run that this process works on. Sends heartbeats, so that it does not count as crashed, until it is saved with a status
 * other than `running`. Created by `ConversationHandle.begin`.
 */
export class OpenRun<Item extends object = JsonObject> {
  readonly runId: string;
  readonly #parts: OpenRunParts<Item>;
  readonly #taken = new AbortController();
  readonly #beat: ReturnType<typeof setInterval>;
  #version: number;
  #last: Promise<unknown> = Promise.resolve();
  #isOpen = true;

  constructor(parts: OpenRunParts<Item>) {
    this.runId = parts.runId;
    this.#parts = parts;
    this.#version = parts.version;
    const beatMs = Math.max(MIN_BEAT_MS, Math.min(parts.staleAfterMs / 4, MAX_BEAT_MS));
    this.#beat = setInterval(() => void this.#inTurn(() => this.#sendBeat()).catch(() => {}), beatMs);
    // Node's timers keep a process alive. Browsers have numbers.
    (this.#beat as unknown as { unref?(): void }).unref?.();
  }

  /** Aborted when another process has taken over the run. Stop then: every save rejects with `CONFLICT`. */
  get taken(): AbortSignal {
    return this.#taken.signal;
  }

  /**
   * Saves the run as a whole: with `running` as a checkpoint, with any other status as its end. Saves take effect in the
   * order of the calls.
   *
   * @throws MemoryError `CONFLICT` if another process has taken over the run.
   */
  save(run: OpenRunInput<Item>): Promise<SaveResult> {
    return this.#inTurn(() => this.#save(run));
  }

  /** Stops the heartbeats without a save: the run can be resumed after `staleAfterMs`. */
  abandon(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearInterval(this.#beat);
    this.#parts.ended();
  }

  async #save(run: OpenRunInput<Item>): Promise<SaveResult> {
    const { runId, replaces, save } = this.#parts;
    try {
      const result = await save({ ...run, runId, version: this.#version, replaces });
      this.#version = result.version ?? this.#version;
      return result;
    } catch (error) {
      if (isMemoryError(error, 'CONFLICT')) this.#lose(error);
      throw error;
    } finally {
      // Also after a failure: otherwise the run would never count as crashed while this process lives.
      if (run.status !== 'running') this.abandon();
    }
  }

  async #sendBeat(): Promise<void> {
    if (!this.#isOpen) return;
    const isMine = await this.#parts.heartbeat({ runId: this.runId, version: this.#version });
    if (!isMine) this.#lose(new MemoryError('CONFLICT', 'Another process has taken over this run. Load it again.'));
  }

  #lose(error: MemoryError): void {
    this.#taken.abort(error);
    this.abandon();
  }

  /** A heartbeat during a save would see another version. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

const MIN_BEAT_MS = 50;
const MAX_BEAT_MS = 60_000;
