import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expectFields } from '@keepsake/core/adapter';
import type { MemoryHandler } from './http/handler.ts';

/** Options of {@link serveHttp}. */
export interface ServeHttpOptions {
  /** 0 to 65,535; 0 is any free port. @default 0 */
  readonly port?: number | undefined;
  /** The address to listen on. Before you choose another, read docs/mcp.md. @default '127.0.0.1' */
  readonly host?: string | undefined;
}

/** A running server. */
export interface HttpServer {
  /** Where it listens, such as `http://127.0.0.1:8080/mcp`. */
  readonly url: string;
  /** Stops listening, ends open streams and answers what is in progress. Closes no store. */
  close(): Promise<void>;
}

const PATH = '/mcp';

/**
 * Serves a handler at `/mcp` on this machine only.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for unknown or invalid options. Rejects with the system's error if it can't listen.
 *
 * @example
 * const server = await serveHttp(memoryHandler({ store, auth, namespaceOf }), { port: 8080 });
 */
export async function serveHttp(handler: MemoryHandler, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const { port = 0, host = '127.0.0.1' } = expectFields(options, '', {
    port: [(port) => Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535, 'a port from 0 to 65535'],
    host: 'string',
  });
  const server = createServer((incoming, outgoing) => {
    respond(handler, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}${PATH}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await handler.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}

async function respond(handler: MemoryHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const aborted = new AbortController();
  outgoing.on('close', () => aborted.abort());
  const request = toRequest(incoming, aborted.signal);
  const { status, headers, body } =
    new URL(request.url).pathname === PATH ? await handler.fetch(request) : new Response(null, { status: 404 });
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(body), outgoing);
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' as const } : {};
  // The host is in the headers, where it is checked. In the URL, it would only be another that could be wrong.
  return new Request(`http://localhost${url.startsWith('/') ? url : '/'}`, { method, headers, signal, ...body });
}
