import { findRoute, type Route } from '../http/route.ts';
import type { Service, ServiceRequest } from '../http/service.ts';
import { type RunningServer, startServer } from '../http/start-server.ts';
import { ApiFailure } from './api-failure.ts';
import { type ConversationOptions, conversationRoutes } from './conversations.ts';
import { embeddingRoutes } from './embeddings.ts';
import { Files, fileRoutes } from './files.ts';
import { responseRoutes, type Script } from './responses.ts';
import { type VectorStoreOptions, vectorStoreRoutes } from './vector-stores.ts';

/** Options of {@link startOpenAI}. */
export interface OpenAIEmulatorOptions extends ConversationOptions, VectorStoreOptions {
  /** @default a free port */
  readonly port?: number;
  /**
   * The API key that clients must send.
   *
   * @default 'sk-emulator'
   */
  readonly apiKey?: string;
}

/** A running emulator of the OpenAI API. */
export interface OpenAIEmulator extends RunningServer {
  /** The options of a client: `new OpenAI({ baseURL, apiKey })`. */
  readonly baseURL: string;
  readonly apiKey: string;
  /** Sets the script that answers for the model. Without one, the emulator echoes the last user message. */
  answerWith(script: Script | undefined): void;
}

/**
 * Starts an emulator of the OpenAI API on 127.0.0.1: conversations, vector stores, files, responses with compaction, and
 * embeddings. It keeps data in memory and refuses requests that the published SDK's types don't allow with 400.
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
        // A bug in the emulator, which must show in the tests.
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
  // The service repeats a part of the key. The emulator repeats all of it, so that a test detects leaks.
  throw new ApiFailure(401, `Incorrect API key provided: ${shown}.`, 'invalid_api_key');
}

function route(routes: readonly Route<object | Promise<object>>[], request: ServiceRequest): object | Promise<object> {
  const found = findRoute(routes, request);
  if (found !== undefined) return found.route.answer(request, found.parameters);
  throw new ApiFailure(404, `Invalid URL (${request.method} ${request.path})`, 'unknown_url');
}
