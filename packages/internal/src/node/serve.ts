import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';

/** How long a client may take to send a header, and a whole request. Node looks every few seconds. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const LOOK_MS = 5_000;
/** How long requests may go on once the server is told to stop. */
const GRACE_MS = 5_000;

/** Where to listen, and with which limits. */
interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly maxHeaderSize?: number;
  /** In milliseconds. */
  readonly grace?: number;
}

/** A server that runs. */
interface Serving {
  /** Such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Stops listening and ends long answers by `endStreams`. Other requests may go on for the grace period, then all connections
   * are cut, also those that never sent a request.
   */
  close(endStreams?: () => Promise<void>): Promise<void>;
}

/** Serves requests as web standards have them over `node:http`. Rejects if it can't listen. */
export async function serve(
  fetch: (request: Request) => Promise<Response>,
  { port, host, maxHeaderSize, grace = GRACE_MS }: ServeOptions,
): Promise<Serving> {
  const limits = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: LOOK_MS };
  const server = createServer(
    { ...limits, ...(maxHeaderSize !== undefined && { maxHeaderSize }) },
    (incoming, outgoing) => {
      // Destroys the connection if it can't answer.
      respond(fetch, incoming, outgoing).catch(() => outgoing.destroy());
    },
  );
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    async close(endStreams = async () => {}) {
      const closed = once(server, 'close');
      server.close();
      const cut = setTimeout(() => server.closeAllConnections(), grace);
      await endStreams();
      server.closeIdleConnections();
      await closed;
      clearTimeout(cut);
    },
  };
}

async function respond(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const aborted = new AbortController();
  outgoing.on('close', () => aborted.abort());
  const { status, headers, body } = await fetch(toRequest(incoming, aborted.signal));
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(body as NodeStream), outgoing);
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const } : {};
  // The host is in the headers, where it is checked. In the URL, it would only be another that could be wrong.
  return new Request(`http://localhost${url.startsWith('/') ? url : '/'}`, { method, headers, signal, ...body });
}
