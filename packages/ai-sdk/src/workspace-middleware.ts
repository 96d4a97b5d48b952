import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { warnRunNotKept } from '@keepsake/internal';
import type { LanguageModelMiddleware, ToolSet } from 'ai';
import { type Collected, collect } from './collect.ts';
import { toToolSet } from './memory-tools.ts';
import type { CallOptions, Prompt } from './messages.ts';
import { isOwnCall } from './own-calls.ts';
import type { RunMemory } from './run-memory.ts';
import { WorkspaceTurn } from './workspace-turn.ts';

export interface WorkspaceMiddlewareOptions {
  /** @default a new id for this middleware */
  readonly conversationId?: string | undefined;
  /**
   * Called if a run could not be saved; the answer is returned anyway.
   *
   * @default a warning on the console
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const OPTIONS: FieldNames<WorkspaceMiddlewareOptions> = { conversationId: true, onError: true };

/**
 * A middleware that gives models of the AI SDK a workspace memory: it adds the summary of earlier runs to the system prompt,
 * and saves each run, from a message of the user to the answer that calls no tools, or to a failure. Create one per
 * conversation, for `wrapLanguageModel`. Use {@link workspaceTools} for the tools, and close the memory at the end, which
 * distils the saved runs.
 *
 * A failed run is saved when the next one begins, or when the memory closes, because the SDK repeats failed calls.
 *
 * @param memory - A `WorkspaceMemory` of `@keepsake/workspace`.
 * @example
 * const model = wrapLanguageModel({ model: gateway('openai/gpt-5-mini'), middleware: workspaceMiddleware(memory) });
 */
export function workspaceMiddleware(
  memory: RunMemory,
  options: WorkspaceMiddlewareOptions = {},
): LanguageModelMiddleware {
  expectKnownFields(options, OPTIONS);
  const { conversationId, onError = warnRunNotKept } = options;
  const run = memory.run({ conversationId });
  let close: (() => void) | undefined;
  const turn = new WorkspaceTurn(async (segment) => {
    close?.();
    await run.append(segment).catch(onError);
  });
  let instructions = '';

  const begin = async (params: CallOptions): Promise<CallOptions> => {
    if (await turn.begin(params.prompt)) {
      close = run.begin?.(() => turn.end());
      ({ instructions } = await memory.read({ rolloutId: run.rolloutId }));
    }
    return { ...params, prompt: withInstructions(params.prompt, instructions) };
  };
  const end = async (answer: Collected | undefined, { abortSignal }: CallOptions, error?: unknown) => {
    if (answer === undefined) turn.failed(error, abortSignal?.aborted === true);
    else await turn.answered(answer);
  };
  /** A failed call is noted. */
  const orFail = async <T>(params: CallOptions, call: PromiseLike<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      await end(undefined, params, error);
      throw error;
    }
  };

  return {
    specificationVersion: 'v4',
    async wrapGenerate({ params, model, doGenerate }) {
      if (isOwnCall(params.prompt)) return doGenerate();
      const answer = await orFail(params, model.doGenerate(await begin(params)));
      await end(answer, params);
      return answer;
    },
    async wrapStream({ params, model, doStream }) {
      if (isOwnCall(params.prompt)) return doStream();
      const { stream, ...rest } = await orFail(params, model.doStream(await begin(params)));
      return { ...rest, stream: stream.pipeThrough(collect((answer) => end(answer, params))) };
    },
  };
}

/** The tools of a workspace memory, for the `tools` of `generateText`, `streamText` and agents. */
export function workspaceTools(memory: RunMemory): ToolSet {
  return toToolSet(memory.tools());
}

/** After the system messages of the caller, so that they still begin the prompt. */
function withInstructions(prompt: Prompt, content: string): Prompt {
  if (content === '') return prompt;
  const start = prompt.findIndex(({ role }) => role !== 'system');
  return prompt.toSpliced(start === -1 ? prompt.length : start, 0, { role: 'system', content });
}
