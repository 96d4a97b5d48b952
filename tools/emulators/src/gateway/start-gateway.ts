import { anthropicInputFault } from '@keepsake/testing/model-inputs/anthropic';
import { aiSdkToAnthropic, aiSdkToGemini, aiSdkToResponses } from '@keepsake/testing/model-inputs/from-ai-sdk';
import { geminiInputFault } from '@keepsake/testing/model-inputs/gemini';
import { responsesInputFault } from '@keepsake/testing/model-inputs/responses';
import { z } from 'zod';
import { findRoute, type Route } from '../http/route.ts';
import type { Service, ServiceAnswer } from '../http/service.ts';
import { type RunningServer, startServer } from '../http/start-server.ts';
import { anthropicSchemaFault } from '../schemas/anthropic.ts';
import { geminiSchemaFault } from '../schemas/gemini.ts';
import { openaiSchemaFault } from '../schemas/openai.ts';
import { vectorOf } from '../word-vector.ts';

/* The part of Vercel's AI Gateway that the AI SDK calls for answers, streamed or not, and for embeddings. */

const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const part = z.union([text, z.looseObject({ type: z.string() })]);
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string(), providerOptions: z.unknown() }),
  z.strictObject({
    role: z.enum(['user', 'assistant', 'tool']),
    content: z.array(part).min(1),
    providerOptions: z.unknown(),
  }),
]);
const callBody = z.looseObject({
  prompt: z.array(message).min(1),
  responseFormat: z.looseObject({ type: z.enum(['text', 'json']), schema: z.unknown().optional() }).optional(),
});
const embedBody = z.looseObject({ values: z.array(z.string().min(1)).min(1), dimensions: z.number().int().optional() });

/** The length of vectors if the request doesn't say. */
const DIMENSIONS = 3072;

/** A message as the AI SDK sends it. */
export type GatewayMessage = z.infer<typeof message>;

/** Answers for the model. */
export type GatewayScript = (prompt: readonly GatewayMessage[]) => string;

/** A running emulator of the AI Gateway. */
export interface GatewayEmulator extends RunningServer {
  /** The option of `createGateway`. */
  readonly baseURL: string;
  readonly apiKey: string;
}

/** Starts an emulator of the AI Gateway on 127.0.0.1. */
export async function startGateway(script: GatewayScript): Promise<GatewayEmulator> {
  const apiKey = 'gateway-emulator';
  const server = await startServer(gatewayService(script, apiKey));
  return Object.assign(server, { baseURL: `${server.url}/v4/ai`, apiKey });
}

function gatewayService(script: GatewayScript, apiKey: string): Service {
  const routes: Route<ServiceAnswer>[] = [
    {
      method: 'POST',
      shape: '/v4/ai/language-model',
      answer({ headers, body }) {
        const { data } = callBody.safeParse(JSON.parse(body.toString()));
        if (data === undefined) return failure(400, 'invalid_request_error');
        const { prompt, responseFormat: { schema } = {} } = data;
        const modelId = `${headers['ai-language-model-id']}`;
        const fault = inputFault(modelId, prompt) ?? (schema === undefined ? undefined : schemaFault(modelId, schema));
        if (fault !== undefined) return failure(400, 'invalid_request_error', fault);
        const text = script(prompt);
        return headers['ai-language-model-streaming'] === 'true' ? streamed(text) : answer(text);
      },
    },
    {
      method: 'POST',
      shape: '/v4/ai/embedding-model',
      answer({ body }) {
        const { data } = embedBody.safeParse(JSON.parse(body.toString()));
        if (data === undefined) return failure(400, 'invalid_request_error');
        const embeddings = data.values.map((text) => [...vectorOf(text, data.dimensions ?? DIMENSIONS)]);
        return { status: 200, body: { embeddings, usage: { tokens: 1 }, warnings: [] } };
      },
    },
  ];
  return {
    failure: (status) => failure(status, 'internal_server_error'),
    answer(request) {
      if (request.headers.authorization !== `Bearer ${apiKey}`) return failure(401, 'authentication_error');
      const found = findRoute(routes, request);
      return found?.route.answer(request, found.parameters) ?? failure(404, 'not_found');
    },
  };
}

/** Why the provider of a model refuses a conversation. */
function inputFault(modelId: string, prompt: readonly GatewayMessage[]): string | undefined {
  if (modelId.startsWith('google/')) return geminiInputFault(aiSdkToGemini(prompt));
  if (modelId.startsWith('anthropic/')) return anthropicInputFault(aiSdkToAnthropic(prompt));
  return responsesInputFault(aiSdkToResponses(prompt));
}

/** Why the provider of a model refuses a schema. */
function schemaFault(modelId: string, schema: unknown): string | undefined {
  if (modelId.startsWith('google/')) return geminiSchemaFault(schema);
  return modelId.startsWith('anthropic/') ? anthropicSchemaFault(schema) : openaiSchemaFault(schema);
}

const END = {
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
};

function answer(text: string): ServiceAnswer {
  return { status: 200, body: { content: [{ type: 'text', text }], ...END, warnings: [] } };
}

/** The answer as server-sent events, in two parts. */
function streamed(text: string): ServiceAnswer {
  const half = Math.ceil(text.length / 2);
  const deltas = [text.slice(0, half), text.slice(half)].map((delta) => ({ type: 'text-delta', id: '1', delta }));
  const events = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    ...deltas,
    { type: 'text-end', id: '1' },
    { type: 'finish', ...END },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { status: 200, body, headers: { 'content-type': 'text/event-stream' } };
}

function failure(status: number, type: string, message = type): ServiceAnswer {
  return { status, body: { error: { message, type } } };
}
