import { GeneratedItems, type ResponsesItem, responsesInputFault } from '@keepsake/testing/model-inputs/responses';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { openaiSchemaFault } from '../schemas/openai.ts';
import { ApiFailure } from './api-failure.ts';
import { freshId, unixTime } from './ids.ts';
import { type InputItem, inputItem } from './items.ts';
import { pairs, readBody } from './read-body.ts';

const input = z.union([z.string(), z.array(inputItem)]);
const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    schema: z.record(z.string(), z.unknown()),
    description: z.string().optional(),
    strict: z.boolean().nullish(),
  }),
]);
const createBody = z.strictObject({
  model: z.string(),
  input,
  instructions: z.string().nullish(),
  include: z.array(z.string()).nullish(),
  max_output_tokens: z.number().int().min(16).nullish(),
  metadata: pairs(z.string().max(512)).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  reasoning: z.looseObject({}).nullish(),
  store: z.boolean().nullish(),
  stream: z.literal(false).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  text: z
    .strictObject({ format: format.optional(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .optional(),
  tool_choice: z.union([z.string(), z.looseObject({})]).optional(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  top_p: z.number().min(0).max(1).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
});
const compactBody = z.strictObject({
  model: z.string().nullable(),
  input: input.nullish(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
});

/** The request of a model, for scripts. */
export interface ModelRequest {
  readonly model: string;
  readonly instructions: string | undefined;
  /** The input items; a string becomes one user message. */
  readonly input: readonly InputItem[];
  /** The JSON Schema of the answer. */
  readonly schema: Record<string, unknown> | undefined;
}

/** A scripted answer: text, output items, a refusal or a truncated answer. */
export type ModelAnswer =
  | string
  | { readonly output: readonly object[] }
  | { readonly refusal: string }
  | { readonly incomplete: string };

/** Answers requests. If it returns `undefined`, the emulator echoes the last user message. */
export type Script = (request: ModelRequest) => ModelAnswer | undefined;

/** The Responses API. */
export function responseRoutes(script: () => Script | undefined): Route<object>[] {
  const generated = new GeneratedItems();
  return [
    {
      method: 'POST',
      shape: '/v1/responses',
      answer(request) {
        const body = readBody(createBody, request);
        checkFormat(body.text?.format);
        checkItems(toItems(body.input), generated);
        const asked = toRequest(body);
        const response = respond(asked, script()?.(asked) ?? echo(asked));
        generated.add(response.output as readonly ResponsesItem[]);
        return response;
      },
    },
    {
      method: 'POST',
      shape: '/v1/responses/compact',
      answer(request) {
        const body = readBody(compactBody, request);
        const items = toItems(body.input ?? []);
        checkItems(items, generated);
        return compact(items);
      },
    },
  ];
}

function checkFormat(wanted: z.infer<typeof format> | undefined): void {
  if (wanted?.type !== 'json_schema' || wanted.strict !== true) return;
  const fault = openaiSchemaFault(wanted.schema);
  if (fault === undefined) return;
  const message = `Invalid schema for response_format '${wanted.name}': ${fault}`;
  throw new ApiFailure(400, message, 'invalid_json_schema', 'text.format.schema');
}

function checkItems(items: readonly InputItem[], generated: GeneratedItems): void {
  const fault = responsesInputFault(items, generated);
  if (fault !== undefined) throw new ApiFailure(400, fault, null, 'input');
}

function toRequest(body: z.infer<typeof createBody>): ModelRequest {
  const wanted = body.text?.format;
  return {
    model: body.model,
    instructions: body.instructions ?? undefined,
    input: toItems(body.input),
    schema: wanted?.type === 'json_schema' ? wanted.schema : undefined,
  };
}

function toItems(given: z.infer<typeof input>): readonly InputItem[] {
  return typeof given === 'string' ? [{ type: 'message', role: 'user', content: given }] : given;
}

function echo({ input, schema }: ModelRequest): ModelAnswer {
  if (schema !== undefined) throw new ApiFailure(500, 'This emulator needs a script to answer by a schema.');
  const newest = input.findLast((item) => item.type === 'message' && item.role === 'user');
  return `You said: ${newest === undefined ? 'nothing' : textOf(newest)}`;
}

/** The text of a message. */
function textOf(item: InputItem): string {
  if (item.type !== 'message') return '';
  if (typeof item.content === 'string') return item.content;
  return item.content.map((block) => ('text' in block ? block.text : '')).join('');
}

function respond({ model, instructions, input }: ModelRequest, answer: ModelAnswer) {
  const output = toOutput(answer);
  const cutOff = typeof answer === 'object' && 'incomplete' in answer;
  return {
    id: freshId('resp'),
    object: 'response',
    created_at: unixTime(),
    status: cutOff ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: cutOff ? { reason: 'max_output_tokens' } : null,
    instructions: instructions ?? null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: usage(JSON.stringify([instructions, input]), JSON.stringify(output)),
  };
}

function toOutput(answer: ModelAnswer): readonly object[] {
  if (typeof answer === 'string') return [message({ type: 'output_text', text: answer, annotations: [] })];
  if ('output' in answer) return answer.output;
  if ('refusal' in answer) return [message({ type: 'refusal', refusal: answer.refusal })];
  return [message({ type: 'output_text', text: answer.incomplete, annotations: [] })];
}

function message(block: object) {
  return { id: freshId('msg'), type: 'message', role: 'assistant', status: 'completed', content: [block] };
}

/** All user messages and one item that replaces the rest. */
function compact(items: readonly InputItem[]) {
  const kept = items
    .filter((item) => item.type === 'message' && item.role === 'user')
    .map((item) => ({
      id: freshId('msg'),
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: textOf(item) }],
    }));
  const summary = { id: freshId('cmp'), type: 'compaction', encrypted_content: freshId('gAAAA') };
  return {
    id: freshId('resp'),
    object: 'response.compaction',
    created_at: unixTime(),
    output: [...kept, summary],
    usage: usage(JSON.stringify(items), summary.encrypted_content),
  };
}

/** Approximates the token count of the service. */
function usage(asked: string, answered: string) {
  const [input_tokens, output_tokens] = [Math.ceil(asked.length / 4), Math.ceil(answered.length / 4)];
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  };
}
