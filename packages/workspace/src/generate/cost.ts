import { type JsonObject, MemoryError, type MemoryModel } from '@keepsake/core';
import { estimateTokens, untilAborted } from '@keepsake/internal';
import { readAnswer } from './read-answer.ts';

/** The usage of the model. Tokens are the model's own count, or an estimate if it does not count. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A question to a model. */
export interface Question {
  readonly system: string;
  readonly prompt: string;
  readonly schema: JsonObject;
}

/** How much a {@link Meter} may spend. */
export interface Limits {
  /** @default No limit. */
  readonly maxTokens?: number | undefined;
  /** The deadline of a call. */
  readonly modelTimeoutMs: number;
}

/** Calls a model, counts the cost, and stays within the limits. */
export class Meter {
  readonly #model: MemoryModel;
  readonly #maxTokens: number;
  readonly #timeoutMs: number;
  #usage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0 };
  #hangs = false;

  constructor(model: MemoryModel, { maxTokens = Infinity, modelTimeoutMs }: Limits) {
    this.#model = model;
    this.#maxTokens = maxTokens;
    this.#timeoutMs = modelTimeoutMs;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get total(): number {
    return this.#usage.inputTokens + this.#usage.outputTokens;
  }

  /**
   * @throws NotAsked before a call that would exceed `maxTokens`, and after a call that was not answered in time; `TIMEOUT`;
   *   the model's errors; `ABORTED`.
   */
  async ask({ system, prompt, schema }: Question, signal: AbortSignal): Promise<Record<string, unknown>> {
    if (signal.aborted) throw aborted();
    if (this.#hangs) throw new NotAsked('TIMEOUT', `${this.#late()} The rest waits for the next generation.`);
    const input = tokensOf(system, prompt);
    if (this.total + input > this.#maxTokens) {
      const what = `The next call would exceed maxTokens (${this.#maxTokens}).`;
      throw new NotAsked('TOO_LARGE', `${what} The rest waits for the next generation; raise maxTokens.`);
    }
    // A failed call costs too.
    this.#add(1, input, 0);
    const answer = await this.#inTime(signal, (both) => this.#model.generate({ system, prompt, schema, signal: both }));
    const { usage } = answer;
    const output = usage?.outputTokens ?? estimateTokens(answer.text || (JSON.stringify(answer.object) ?? ''));
    this.#add(0, (usage?.inputTokens ?? input) - input, output);
    return readAnswer(answer, schema);
  }

  /** Waits no longer than the deadline, even if the model ignores its signal. */
  async #inTime<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new MemoryError('TIMEOUT', this.#late())), this.#timeoutMs);
    const both = AbortSignal.any([signal, deadline.signal]);
    try {
      const result = await untilAborted(both, () => call(both));
      if (signal.aborted) throw aborted();
      return result;
    } catch (error) {
      if (deadline.signal.aborted) this.#hangs = true;
      throw signal.aborted ? aborted() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #late(): string {
    return `The model did not answer within ${this.#timeoutMs} ms. Check it, or raise modelTimeoutMs.`;
  }

  #add(calls: number, inputTokens: number, outputTokens: number): void {
    const before = this.#usage;
    this.#usage = {
      calls: before.calls + calls,
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
    };
  }
}

/** The tokens of a call's input, as long as the model has not counted them. */
export function tokensOf(system: string, prompt: string): number {
  return estimateTokens(system) + estimateTokens(prompt);
}

/** The model was not asked, because a limit is reached. Not an attempt: the next generation asks. */
export class NotAsked extends MemoryError {}

export function aborted(): MemoryError {
  return new MemoryError('ABORTED', 'Aborted. Finished work stays, the rest waits for the next generation.');
}
