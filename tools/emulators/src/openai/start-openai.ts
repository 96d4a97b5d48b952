import { findRoute, type Route } from '../http/route.ts';
import type { Service, ServiceRequest } from '../http/service.ts';
import { type RunningServer, startServer } from '../http/start-server.ts';
import { ApiFailure } from './api-failure.ts';
import { type ConversationOptions, conversationRoutes } from './conversations.ts';
import { embeddingRoutes } from './embeddings.ts';
import { Files, fileRoutes } from './files.ts';
import { responseRoutes, type Script } from './responses.ts';
import { type VectorStoreOptions, vectorStoreRoutes } from './vector-stores.ts';

/** How to start an emulator of the OpenAI API. */
export interface OpenAIEmulatorOptions extends ConversationOptions, VectorStoreOptions {
  /** By default a free port. */
  readonly port?: number;
  /** What a client is to show as its key. By default `sk-emulator`. */
  readonly apiKey?: string;
}

/** An emulator of the OpenAI API that runs. */
export interface OpenAIEmulator extends RunningServer {
  /** What a client takes: `new OpenAI({ baseURL, apiKey })`. */
  readonly baseURL: string;
  readonly apiKey: string;
  /** Makes this script answer for the model; without one, it repeats what the user said last. */
  answerWith(script: Script | undefined): void;
}

/**
 * Starts an emulator of the OpenAI API on 127.0.0.1: conversations, vector stores, files, responses with compaction, and
 * embeddings. It keeps what it is given until it ends, and refuses with 400 what the published SDK's types don't have.
 */
export async function startOpenAI(options: OpenAIEmulatorOptions = {}): Promise<OpenAIEmulator> {
  const { apiKey = 'sk-emulator', port } = options;
  let script: Script | undefined;
  const files = new Files();
  const routes = [
    ...conversationRoutes(options),
    ...fileRoutes(files),
    ...vectorStoreRoutes(files, options),
    ...responseRoutes(() => script),
    ...embeddingRoutes(),
  ];
  const server = await startServer(openAIService(routes, apiKey), port);
  return Object.assign(server, {
    baseURL: `${server.url}/v1`,
    apiKey,
    answerWith(next: Script | undefined) {
      script = next;
    },
  });
}

function openAIService(routes: readonly Route<object | Promise<object>>[], apiKey: string): Service {
  return {
    failure: (status) => new ApiFailure(status, FAILURES[status] ?? 'The server had an error.', CODES[status]).answer,
    async answer(request) {
      try {
        checkKey(request, apiKey);
        return { status: 200, body: await route(routes, request) };
      } catch (error) {
        if (error instanceof ApiFailure) return error.answer;
        // A fault of the emulator itself: the tests are to see it.
        return {
          status: 500,
          body: { error: { message: String(error), type: 'server_error', param: null, code: null } },
        };
      }
    },
  };
}

const FAILURES: Readonly<Record<number, string>> = { 429: 'Rate limit reached. Please try again later.' };
const CODES: Readonly<Record<number, string>> = { 429: 'rate_limit_exceeded' };

function checkKey({ headers }: ServiceRequest, apiKey: string): void {
  if (headers.authorization === `Bearer ${apiKey}`) return;
  const shown = headers.authorization?.replace(/^Bearer /, '') ?? '';
  // The service repeats the key, in part; here whole, so that a test sees who passes it on.
  throw new ApiFailure(401, `Incorrect API key provided: ${shown}.`, 'invalid_api_key');
}

function route(routes: readonly Route<object | Promise<object>>[], request: ServiceRequest): object | Promise<object> {
  const found = findRoute(routes, request);
  if (found !== undefined) return found.route.answer(request, found.parameters);
  throw new ApiFailure(404, `Invalid URL (${request.method} ${request.path})`, 'unknown_url');
}
