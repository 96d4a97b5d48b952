import { MemoryError, type MemoryModel } from '@keepsake/core';
import { expect, expectCount } from '../expect.ts';
import { jsonAnswer } from './json-answer.ts';
import type { Summariser, SummaryInput } from './summariser.ts';
import { SUMMARY_SCHEMA, summaryPrompt, summarySystemPrompt } from './summary-prompt.ts';

/** How a {@link ModelSummariser} asks. */
export interface ModelSummariserOptions {
  readonly model: MemoryModel;
  /** What to mind beside the built-in words, such as `Keep every order number.` */
  readonly instructions?: string;
  /** About how many tokens of what was said go into a prompt. By default 8,000. */
  readonly maxTokens?: number;
  /** How long a summary is to be at most, in words. By default 300. */
  readonly maxWords?: number;
}

export const DEFAULT_MAX_TOKENS = 8_000;

/** Has a model write the summary of a session anew, from the one so far and what was said since. */
export class ModelSummariser implements Summariser {
  readonly maxTokens: number;
  readonly #options: ModelSummariserOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't work. */
  constructor(options: ModelSummariserOptions) {
    const { model, maxTokens = DEFAULT_MAX_TOKENS, maxWords } = options ?? {};
    expect(typeof model?.generate === 'function', 'A ModelSummariser needs a model with generate().');
    expectCount(maxTokens, 'maxTokens', 1);
    expectCount(maxWords, 'maxWords', 1);
    this.maxTokens = maxTokens;
    this.#options = options;
  }

  async summarise(input: SummaryInput): Promise<string> {
    const { model, instructions, maxWords = 300 } = this.#options;
    const answer = await model.generate({
      system: summarySystemPrompt(instructions, maxWords),
      prompt: summaryPrompt(input, this.maxTokens * 3),
      schema: SUMMARY_SCHEMA,
      signal: input.signal,
    });
    const summary = textOf(answer);
    if (summary !== '') return summary;
    throw new MemoryError('BACKEND', 'The model gave no summary. Use one that follows schemas.');
  }
}

/** A model that knows no schemas may answer with the summary alone. */
function textOf(answer: Awaited<ReturnType<MemoryModel['generate']>>): string {
  const object = jsonAnswer(answer);
  const text = object === undefined ? answer.text : object.summary;
  return typeof text === 'string' ? text.trim() : '';
}
