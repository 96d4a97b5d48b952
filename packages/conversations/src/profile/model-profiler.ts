import { type JsonObject, type JsonValue, MemoryError, type MemoryModel } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames, guarded } from '@keepsake/core/adapter';
import { isObject, jsonAnswers, objectAnswer } from '@keepsake/internal';
import { expectCount } from '../expect.ts';
import { BYTES_PER_TOKEN, DEFAULT_MAX_TOKENS, MIN_MAX_TOKENS } from '../summary/model-summariser.ts';
import { ProfileChanges } from './changes.ts';
import { profilePrompt, profileSystemPrompt } from './profile-prompt.ts';
import type { ProfileInput, Profiler } from './profiler.ts';

/** Options of {@link ModelProfiler}. */
export interface ModelProfilerOptions {
  readonly model: MemoryModel;
  /** Instructions in addition to the built-in ones, such as `Only facts about food.` */
  readonly instructions?: string | undefined;
  /**
   * The maximum number of tokens of a prompt, besides the instructions: a token is 3 bytes of UTF-8, which is more than most
   * models count. 100 or more. Messages that do not fit are cut, and if there are too many, left out.
   *
   * @default 8000
   */
  readonly maxTokens?: number | undefined;
}

const OPTIONS: FieldNames<ModelProfilerOptions> = { model: true, instructions: true, maxTokens: true };

const ATTEMPTS = 2;

/** Asks a model what users' messages say about them. If the answer is not JSON, asks once more. */
export class ModelProfiler implements Profiler {
  readonly maxTokens: number;
  readonly #options: ModelProfilerOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
  constructor(given: ModelProfilerOptions) {
    const options = expectKnownFields(given, OPTIONS);
    const { model, maxTokens = DEFAULT_MAX_TOKENS } = options;
    expect(
      guarded('`model`', () => typeof model?.generate === 'function'),
      'A ModelProfiler needs a model with generate().',
    );
    expectCount(maxTokens, 'maxTokens', MIN_MAX_TOKENS);
    this.maxTokens = maxTokens;
    this.#options = options;
  }

  async analyse(input: ProfileInput): Promise<JsonObject> {
    const { model, instructions } = this.#options;
    const changes = input.schema && ProfileChanges.of(input.schema, input.mode === 'update');
    const form = { usesTools: input.tools.length > 0, asChanges: changes !== undefined };
    const request = {
      system: profileSystemPrompt(input, instructions, form),
      prompt: profilePrompt(input, this.maxTokens * BYTES_PER_TOKEN),
      ...(changes && { schema: changes.schema }),
      signal: input.signal,
    };
    const { properties } = input.schema ?? {};
    const names = isObject(properties) ? [...Object.keys(properties), ...(changes?.names ?? [])] : [];
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const answer = await model.generate(request);
      const list = changes && (jsonAnswers(answer).find(isList) as JsonValue[] | undefined);
      const learnt = objectAnswer<JsonValue>(answer, names) ?? (list && { changes: list });
      const answered = learnt && (changes?.patchOf(learnt) ?? learnt);
      // An empty profile would delete everything that is known, so the known one stays.
      const isNothing = input.mode === 'replace' && Object.keys(answered ?? {}).length === 0;
      if (answered !== undefined) return isNothing ? input.known : answered;
      input.signal.throwIfAborted();
    }
    throw new MemoryError('BACKEND', 'The model did not answer with a JSON object. Use a model that supports schemas.');
  }
}

/** Whether this can be a list of changes, and not a value in an answer that can't be read. */
function isList(value: unknown): boolean {
  return Array.isArray(value) && (value.length === 0 || value.some((one) => isObject(one)));
}
