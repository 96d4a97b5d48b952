import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  originValidationResponse,
  requireBearerAuth,
  type VerifyBearerTokenOptions,
} from '@modelcontextprotocol/server';
import type { MemoryHandler } from './handler.ts';

/** Who may call. */
export interface Guards {
  readonly auth: VerifyBearerTokenOptions;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Serves the servers of a factory to callers with a valid token, on known hosts, and to no web page of another origin. */
export function guardedHandler(factory: McpServerFactory, guards: Guards): MemoryHandler {
  const { auth, allowedHosts, allowedOrigins, onError = () => {} } = guards;
  const hosts = [...(allowedHosts ?? localhostAllowedHostnames())];
  const origins = [...(allowedOrigins ?? localhostAllowedOrigins())];
  const authenticate = requireBearerAuth(auth);
  const handler = createMcpHandler(factory, { onerror: onError });
  return {
    async fetch(request) {
      const refused = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins);
      if (refused !== undefined) return refused;
      const authInfo = await authenticate(request);
      return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}
