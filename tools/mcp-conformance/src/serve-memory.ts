import { join } from 'node:path';
import { InMemoryStore } from '@keepsake/in-memory';
import { type HttpServer, memoryHandler, serveHttp } from '@keepsake/mcp';
import { bridgeTo } from './bridge.ts';

const PROGRAM = join(import.meta.dirname, '../../../packages/mcp/src/keepsake-mcp.ts');
const NODE_ARGS = ['--conditions=@keepsake/source', '--disable-warning=ExperimentalWarning'];

/** The command of a server over stdio. */
export function stdioCommand(directory: string): string[] {
  return [process.execPath, ...NODE_ARGS, PROGRAM, '--directory', directory];
}

/** Serves a memory over HTTP, to callers without a token, which the conformance suite can't send. */
export async function serveOverHttp(): Promise<HttpServer> {
  const handler = memoryHandler({
    store: new InMemoryStore({ name: 'memory' }),
    auth: {
      verifier: { verifyAccessToken: async (token) => ({ token, clientId: 'suite', scopes: [], expiresAt: 9e9 }) },
    },
    namespaceOf: () => ['suite'],
  });
  return serveHttp({
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set('authorization', 'Bearer any');
      return handler.fetch(new Request(request, { headers }));
    },
    close: () => handler.close(),
  });
}

/** Serves a memory over stdio, at a URL. */
export async function serveOverStdio(directory: string): Promise<HttpServer> {
  return serveHttp(bridgeTo(stdioCommand(directory)));
}
