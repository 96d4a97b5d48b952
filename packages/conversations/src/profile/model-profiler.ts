import { type JsonObject, MemoryError, type MemoryModel } from '@keepsake/core';
import { expect, expectCount } from '../expect.ts';
import { jsonAnswer } from '../summary/json-answer.ts';
import { DEFAULT_MAX_TOKENS } from '../summary/model-summariser.ts';
import { profileAnswerSchema, profilePrompt, profileSystemPrompt } from './profile-prompt.ts';
import type { ProfileInput, Profiler } from './profiler.ts';

/** How a {@link ModelProfiler} asks. */
export interface ModelProfilerOptions {
  readonly model: MemoryModel;
  /** What to mind beside the built-in words, such as `Only what concerns food.` */
  readonly instructions?: string;
  /** About how many tokens of what was said go into a prompt. By default 8,000. */
  readonly maxTokens?: number;
}

const ATTEMPTS = 2;

/** Has a model tell from what users say who they are. An answer that is no JSON is asked for once more. */
export class ModelProfiler implements Profiler {
  readonly maxTokens: number;
  readonly #options: ModelProfilerOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't work. */
  constructor(options: ModelProfilerOptions) {
    const { model, maxTokens = DEFAULT_MAX_TOKENS } = options ?? {};
    expect(typeof model?.generate === 'function', 'A ModelProfiler needs a model with generate().');
    expectCount(maxTokens, 'maxTokens', 1);
    this.maxTokens = maxTokens;
    this.#options = options;
  }

  async analyse(input: ProfileInput): Promise<JsonObject> {
    const { model, instructions } = this.#options;
    const request = {
      system: profileSystemPrompt(input, instructions),
      prompt: profilePrompt(input, this.maxTokens * 3),
      ...(input.schema === undefined ? {} : { schema: profileAnswerSchema(input.schema) }),
      signal: input.signal,
    };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const learnt = jsonAnswer(await model.generate(request));
      if (learnt !== undefined) return learnt;
      input.signal.throwIfAborted();
    }
    throw new MemoryError('BACKEND', 'The model did not answer with a JSON object. Use one that follows schemas.');
  }
}
