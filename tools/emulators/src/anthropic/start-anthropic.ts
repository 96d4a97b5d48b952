import { randomUUID } from 'node:crypto';
import { anthropicInputFault } from '@keepsake/testing/model-inputs/anthropic';
import { z } from 'zod';
import { findRoute, type Route } from '../http/route.ts';
import type { Service, ServiceAnswer } from '../http/service.ts';
import { type RunningServer, startServer } from '../http/start-server.ts';
import { anthropicSchemaFault } from '../schemas/anthropic.ts';

/* The part of the Claude API that answers messages, with calls of tools, with threads, and as a stream. */

const block = z.looseObject({ type: z.string() });
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block).min(1)]),
});
const thread = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('create') }),
  z.strictObject({ type: z.literal('continue'), previous_message_id: z.string() }),
]);
const createBody = z.looseObject({
  model: z.string(),
  max_tokens: z.number().int().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  output_config: z
    .looseObject({ format: z.strictObject({ type: z.literal('json_schema'), schema: z.unknown() }).nullish() })
    .optional(),
  thread: thread.nullish(),
});

/** A message of the Claude API. */
export type ClaudeMessage = z.infer<typeof message>;

/** What the model answers: a text, or the call of a tool. */
export type ClaudeAnswer = string | { readonly tool: string; readonly input: object };

/** Answers for the model. Gets all messages of the conversation. */
export type ClaudeScript = (messages: readonly ClaudeMessage[]) => ClaudeAnswer;

/** A running emulator of the Claude API. */
export interface AnthropicEmulator extends RunningServer {
  readonly apiKey: string;
}

/** Starts an emulator of the Claude API on 127.0.0.1: `new Anthropic({ baseURL: url, apiKey })`. */
export async function startAnthropic(script: ClaudeScript): Promise<AnthropicEmulator> {
  const apiKey = 'sk-ant-emulator';
  return Object.assign(await startServer(anthropicService(script, apiKey)), { apiKey });
}

function anthropicService(script: ClaudeScript, apiKey: string): Service {
  /** By the id of an answer in a thread, the conversation up to it. */
  const threads = new Map<string, readonly ClaudeMessage[]>();
  const routes: Route<ServiceAnswer>[] = [
    {
      method: 'POST',
      shape: '/v1/messages',
      answer({ headers, body }) {
        // SDKs before version 1 send the key alone.
        const sent = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
        if (sent !== apiKey) return failure(401, 'authentication_error');
        const parsed = createBody.safeParse(JSON.parse(body.toString()));
        if (!parsed.success) return failure(400, 'invalid_request_error');
        const { model, messages, thread, stream, output_config: { format } = {} } = parsed.data;
        const fault = format ? anthropicSchemaFault(format.schema) : undefined;
        if (fault !== undefined) return failure(400, 'invalid_request_error', `output_config.format.schema: ${fault}`);
        const earlier = thread?.type === 'continue' ? threads.get(thread.previous_message_id) : [];
        if (earlier === undefined) return failure(404, 'not_found_error');
        const conversation = [...earlier, ...messages];
        const inputFault = anthropicInputFault(conversation);
        if (inputFault !== undefined) return failure(400, 'invalid_request_error', inputFault);
        const block = blockOf(script(conversation));
        const id = `msg_${randomUUID()}`;
        if (thread) threads.set(id, [...conversation, { role: 'assistant', content: [block] }]);
        const answer = { id, type: 'message', role: 'assistant', model, ...END };
        if (stream) return streamed(answer, block);
        return { status: 200, body: { ...answer, content: [block], stop_reason: stopReason(block) } };
      },
    },
  ];
  return {
    failure: (status) => failure(status, 'api_error'),
    answer(request) {
      const found = findRoute(routes, request);
      return found?.route.answer(request, found.parameters) ?? failure(404, 'not_found_error');
    },
  };
}

function blockOf(answer: ClaudeAnswer) {
  if (typeof answer === 'string') return { type: 'text' as const, text: answer };
  return { type: 'tool_use' as const, id: `toolu_${randomUUID()}`, name: answer.tool, input: answer.input };
}

type Block = ReturnType<typeof blockOf>;

const END = { stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };

function stopReason({ type }: Block): string {
  return type === 'tool_use' ? 'tool_use' : 'end_turn';
}

/** The answer as server-sent events. */
function streamed(answer: object, block: Block): ServiceAnswer {
  const isText = block.type === 'text';
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  const events = [
    { type: 'message_start', message: { ...answer, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(block), stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
}

function failure(status: number, type: string, message = type): ServiceAnswer {
  return { status, body: { type: 'error', error: { type, message } } };
}
