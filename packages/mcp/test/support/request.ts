import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Json } from './connect.ts';

interface RawRequest {
  readonly method?: string;
  readonly params?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request of protocol 2026-07-28 as it is. `fetch` and the official client would set the headers that tests forge,
 * and would not repeat an answer.
 */
export async function request(
  url: string,
  { method = 'tools/list', params = {}, token, headers = {} }: RawRequest,
): Promise<{ readonly status: number; readonly body: Json }> {
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const { name } = params as { readonly name?: string };
  const sent = httpRequest(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }));
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
  });
  const body = await text(response);
  return { status: response.statusCode ?? 0, body: body.startsWith('{') ? JSON.parse(body) : body };
}
