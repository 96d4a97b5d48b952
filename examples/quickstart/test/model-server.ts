import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** The part of a request to the Chat Completions API that is read here. */
export interface ModelRequest {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}

/** A tiny local server of the Chat Completions API for the current test. It records requests and answers as configured. */
export async function startModelServer(answer: (request: ModelRequest, response: ServerResponse) => void) {
  const requests: ModelRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { url, headers } = incoming;
    const request = { url, authorization: headers.authorization, body: JSON.parse(await text(incoming)) };
    requests.push(request);
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    requests,
    env: { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_MODEL: 'tiny' },
    close,
  };
}

/** Answers with a text, in the form of the Chat Completions API. */
export function say(response: ServerResponse, content: string): void {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } }];
  respond(response, 200, { id: 'chatcmpl_1', object: 'chat.completion', choices });
}

export function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
