import { type JsonObject, MemoryError, type MemoryModel } from '@keepsake/core';
import { readAnswer } from './read-answer.ts';
import { estimateTokens } from './tokens.ts';

/** What the model was asked for. Tokens are the model's own count, or an estimate where it doesn't count. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Asks a model, counts what it costs, and asks no more than may be spent. */
export class Meter {
  readonly #model: MemoryModel;
  readonly #maxTokens: number;
  #usage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0 };

  constructor(model: MemoryModel, maxTokens = Infinity) {
    this.#model = model;
    this.#maxTokens = maxTokens;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** @throws OverBudget before a call that would go over `maxTokens`; what the model throws; `ABORTED`. */
  async ask(system: string, prompt: string, schema: JsonObject, signal: AbortSignal): Promise<Record<string, unknown>> {
    if (signal.aborted) throw aborted();
    const input = estimateTokens(system) + estimateTokens(prompt);
    if (this.total + input > this.#maxTokens) throw new OverBudget(this.#maxTokens);
    // It is paid for also where it fails.
    this.#add(1, input, 0);
    const answer = await this.#model.generate({ system, prompt, schema, signal });
    if (signal.aborted) throw aborted();
    const { usage } = answer;
    const output = usage?.outputTokens ?? estimateTokens(answer.text || (JSON.stringify(answer.object) ?? ''));
    this.#add(0, (usage?.inputTokens ?? input) - input, output);
    return readAnswer(answer);
  }

  get total(): number {
    return this.#usage.inputTokens + this.#usage.outputTokens;
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

/** All that may be spent is spent; what is left waits for the next time. */
export class OverBudget extends MemoryError {
  constructor(maxTokens: number) {
    super('TOO_LARGE', `The next call would go over maxTokens (${maxTokens}). What is left waits; allow more tokens.`);
  }
}

export function aborted(): MemoryError {
  return new MemoryError('ABORTED', 'It was aborted. What was finished stays, what is left waits for the next time.');
}
