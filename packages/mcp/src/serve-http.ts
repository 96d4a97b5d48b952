import { expectFields } from '@keepsake/core/adapter';
import { serve } from '@keepsake/internal/node';
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
  const fetch = async (request: Request) =>
    new URL(request.url).pathname === PATH ? handler.fetch(request) : new Response(null, { status: 404 });
  const { origin, close } = await serve(fetch, { port, host });
  return { url: `${origin}${PATH}`, close: () => close(() => handler.close()) };
}
