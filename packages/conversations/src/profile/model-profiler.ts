import { type JsonObject, type JsonValue, MemoryError, type MemoryModel } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames, guarded } from '@keepsake/core/adapter';
import { isObject, listAnswer, objectAnswer, objectAnswers, placeholder } from '@keepsake/internal';
import { expectCount } from '../expect.ts';
import { BYTES_PER_TOKEN, DEFAULT_MAX_TOKENS, MIN_MAX_TOKENS } from '../summary/model-summariser.ts';
import { CHANGES, ProfileChanges } from './changes.ts';
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
  constructor(options: ModelProfilerOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    const { model, maxTokens = DEFAULT_MAX_TOKENS } = checkedOptions;
    expect(
      guarded('`model`', () => typeof model?.generate === 'function'),
      'A ModelProfiler needs a model with generate().',
    );
    expectCount(maxTokens, 'maxTokens', MIN_MAX_TOKENS);
    this.maxTokens = maxTokens;
    this.#options = checkedOptions;
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
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const answer = await model.generate(request);
      const learnt = learntFrom(answer, input, changes);
      const answered = learnt && withoutBlanks(learnt, input.known);
      // An empty profile would delete everything that is known, so the known one stays.
      const isNothing = input.mode === 'replace' && Object.keys(answered ?? {}).length === 0;
      if (answered !== undefined) return isNothing ? input.known : answered;
      input.signal.throwIfAborted();
    }
    throw new MemoryError('BACKEND', 'The model did not answer with a JSON object. Use a model that supports schemas.');
  }
}

function learntFrom(
  answer: Awaited<ReturnType<MemoryModel['generate']>>,
  { schema, newKeys, mode }: ProfileInput,
  changes: ProfileChanges | undefined,
): JsonObject | undefined {
  const list = changes && listAnswer(answer, CHANGES, (value) => isObject(value) && typeof value.field === 'string');
  const patch = list && changes?.patchOf(list, mode === 'replace');
  if (patch !== undefined) return patch;
  const names = Object.keys(isObject(schema?.properties) ? schema.properties : {});
  if (names.length > 0) {
    // A list of changes that can't be read is no wrapper of a profile.
    const object = objectAnswer<JsonValue>(answer, changes ? [...names, CHANGES] : names);
    const isOther = object && Object.hasOwn(object, CHANGES) && !names.some((name) => Object.hasOwn(object, name));
    return isOther && changes ? undefined : object;
  }
  const isDynamic = newKeys !== undefined;
  const profiles = objectAnswers<JsonValue>(answer, (object) => !isReport(object) && !(isDynamic && isWrapper(object)));
  return profiles.find((profile) => Object.keys(profile).length > 0) ?? profiles[0];
}

/** Whether an object reports an error, in place of a profile whose fields aren't known. */
function isReport(object: Readonly<Record<string, unknown>>): boolean {
  if ((object.error ?? object.errors ?? null) !== null) return true;
  const names = Object.keys(object);
  return names.some((name) => /^(?:message|detail)$/.test(name)) && names.every((name) => REPORTED.test(name));
}

const REPORTED = /^(?:message|details?|code|status|statusCode|status_code|type|param|success|ok|request_id|requestId)$/;

/** Whether an object has a profile in a field. The fields of a dynamic profile are no objects. */
function isWrapper(object: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(object).some(([name, value]) => isObject(value) && WRAPPER.test(name));
}

const WRAPPER = /^(?:answer|final_answer|content|data|json|output|(?:user_?)?profile|properties|response|result)$/i;

/** What was learnt, with the known values in place of texts that stand for nothing, such as `N/A`. */
function withoutBlanks(learnt: JsonObject, profile: JsonObject): JsonObject {
  const fields = Object.entries(learnt).flatMap(([name, value]) => {
    const before = Object.hasOwn(profile, name) ? profile[name] : undefined;
    if (isBlank(value, before)) return before === undefined ? [] : [[name, before] as const];
    if (!isObject<JsonValue>(value) || Object.keys(value).length === 0) return [[name, value] as const];
    const inner = withoutBlanks(value, isObject<JsonValue>(before) ? before : {});
    return Object.keys(inner).length === 0 ? [] : [[name, inner] as const];
  });
  return Object.fromEntries(fields);
}

function isBlank(value: JsonValue, before: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((entry) => isBlank(entry, before));
  // Such as "none" of allergies, of which nothing was known.
  const says = before === undefined && typeof value === 'string' && /none|nothing/i.test(value);
  return typeof value === 'string' && value !== '' && !says && placeholder(value) !== undefined;
}
