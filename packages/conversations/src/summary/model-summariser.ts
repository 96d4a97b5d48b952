import { MemoryError, type MemoryModel } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { isObject, jsonAnswers } from '@keepsake/internal';
import { expectCount } from '../expect.ts';
import type { Summariser, SummaryInput } from './summariser.ts';
import { SUMMARY_SCHEMA, summaryPrompt, summarySystemPrompt } from './summary-prompt.ts';

/** Options of {@link ModelSummariser}. */
export interface ModelSummariserOptions {
  readonly model: MemoryModel;
  /** Instructions in addition to the built-in ones, such as `Keep every order number.` */
  readonly instructions?: string | undefined;
  /** The approximate number of tokens of the conversation in a prompt. @default 8000 */
  readonly maxTokens?: number | undefined;
  /** The maximum length of a summary in words. @default 300 */
  readonly maxWords?: number | undefined;
}

const OPTIONS: FieldNames<ModelSummariserOptions> = {
  model: true,
  instructions: true,
  maxTokens: true,
  maxWords: true,
};

export const DEFAULT_MAX_TOKENS = 8_000;

/** Asks a model for a new summary of a session, from the previous one and the runs since. */
export class ModelSummariser implements Summariser {
  readonly maxTokens: number;
  readonly #options: ModelSummariserOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
  constructor(options: ModelSummariserOptions) {
    expectKnownFields(options, OPTIONS);
    const { model, maxTokens = DEFAULT_MAX_TOKENS, maxWords } = options;
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
    throw new MemoryError('BACKEND', 'The model returned no summary. Use a model that supports schemas.');
  }
}

/** A model without schema support may answer with the plain summary. */
function textOf(answer: Awaited<ReturnType<MemoryModel['generate']>>): string {
  const object = jsonAnswers(answer).find(isObject);
  const text = object === undefined ? answer.text : object.summary;
  return typeof text === 'string' ? text.trim() : '';
}
