import type { RecordStore } from '@keepsake/core';
import { OAuthError, OAuthErrorCode, type OAuthTokenVerifier } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { type MemoryHandlerOptions, memoryHandler, serveHttp } from '../../src/index.ts';

/** Accepts `token-alice` as the token of Alice. */
export const verifier: OAuthTokenVerifier = {
  async verifyAccessToken(token) {
    const [, user] = /^token-(\w+)$/.exec(token) ?? [];
    if (user === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'Unknown token.');
    return { token, clientId: user, scopes: [], expiresAt: Math.floor(Date.now() / 1_000) + 60 };
  },
};

/** Serves a store over HTTP until the end of the test, and returns the URL. */
export async function serve(store: RecordStore, options: Partial<MemoryHandlerOptions> = {}): Promise<string> {
  const handler = memoryHandler({
    store,
    auth: { verifier },
    namespaceOf: ({ clientId }) => ['u', clientId],
    ...options,
  });
  const server = await serveHttp(handler);
  onTestFinished(() => server.close());
  return server.url;
}
