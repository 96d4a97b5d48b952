import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** The part of a Responses API request that is read here. */
export interface ModelRequest {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly instructions: string;
    readonly input: readonly { readonly role: string; readonly content: string }[];
    readonly store: boolean;
  };
}

/** A tiny local server of the Responses API for the current test. It records requests and answers as configured. */
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

/** Answers with a text, in the form of the Responses API. */
export function say(response: ServerResponse, words: string): void {
  const content = [{ type: 'output_text', text: words, annotations: [] }];
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content },
  ];
  respond(response, 200, { id: 'resp_1', object: 'response', status: 'completed', error: null, output });
}

export function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
