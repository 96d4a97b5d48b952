import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway } from 'ai';
import { onTestFinished } from 'vitest';

/** What a gateway receives. */
export interface GatewayRequest {
  readonly path: string;
  readonly body: {
    readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
    readonly responseFormat?: { readonly type: string; readonly schema?: unknown };
    readonly values: readonly string[];
    readonly dimensions?: number;
  };
}

/** What it answers: a body, an HTTP status of an error, or nothing at all. */
export type GatewayReply = object | number | 'hang' | 'cut';

/**
 * A server with the protocol of the AI Gateway, and the published client for it, until the end of the test. Errors ask for a
 * retry after a millisecond.
 */
export async function useGateway(reply: (request: GatewayRequest, count: number) => GatewayReply) {
  const requests: GatewayRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const body = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
    const request = { path: incoming.url ?? '', body };
    requests.push(request);
    const answer = reply(request, requests.length);
    if (answer === 'hang') return;
    if (answer === 'cut') return void response.destroy();
    const [status, content] = typeof answer === 'number' ? [answer, failure(answer)] : [200, answer];
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
    response.end(JSON.stringify(content));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, provider: createGateway({ baseURL, apiKey: 'secret-key' }) };
}

/** An answer of a language model. */
export function answers(text: string, unified = 'stop'): object {
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified, raw: unified },
    usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } },
    warnings: [],
  };
}

function failure(status: number): object {
  const type = TYPES[status] ?? 'internal_server_error';
  return { error: { message: 'The text that was sent: sentinel', type } };
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
};
