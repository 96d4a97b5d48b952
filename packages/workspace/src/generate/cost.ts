import { type JsonObject, MemoryError, type MemoryModel } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import { readAnswer } from './read-answer.ts';

/** The usage of the model. Tokens are the model's own count, or an estimate if it does not count. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Calls a model, counts the cost, and stays within the budget. */
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

  /** @throws OverBudget before a call that would exceed `maxTokens`; the model's errors; `ABORTED`. */
  async ask(system: string, prompt: string, schema: JsonObject, signal: AbortSignal): Promise<Record<string, unknown>> {
    if (signal.aborted) throw aborted();
    const input = estimateTokens(system) + estimateTokens(prompt);
    if (this.total + input > this.#maxTokens) throw new OverBudget(this.#maxTokens);
    // A failed call costs too.
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

/** The budget is used up. The rest waits for the next generation. */
export class OverBudget extends MemoryError {
  constructor(maxTokens: number) {
    super(
      'TOO_LARGE',
      `The next call would exceed maxTokens (${maxTokens}). The rest waits for the next generation; raise maxTokens.`,
    );
  }
}

export function aborted(): MemoryError {
  return new MemoryError('ABORTED', 'Aborted. Finished work stays, the rest waits for the next generation.');
}
