import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { expect } from '@keepsake/core/adapter';
import { OAuthError, OAuthErrorCode, type OAuthTokenVerifier } from '@modelcontextprotocol/server';

/** The variable with the token of HTTP clients. */
export const TOKEN_VARIABLE = 'KEEPSAKE_MCP_TOKEN';

/** What a header can carry as a bearer token (RFC 6750). A shorter one could be guessed. */
const TOKEN = /^[\w.~+/-]{32,}=*$/;
/** The SDK asks when a token expires. This one lasts as long as the process, and is verified for each request. */
const EXPIRES_AFTER_S = 3_600;

/** The token of the environment, or a new one. */
export function tokenOfEnvironment(): { readonly token: string; readonly isNew: boolean } {
  const envToken = process.env[TOKEN_VARIABLE];
  if (envToken === undefined || envToken === '') return { token: randomBytes(32).toString('base64url'), isNew: true };
  expect(
    TOKEN.test(envToken),
    `${TOKEN_VARIABLE} must be at least 32 letters, digits and characters of -._~+/, without spaces.`,
  );
  return { token: envToken, isNew: false };
}

/** Accepts one token. Takes the same time for every other one. */
export function verifierOf(token: string): OAuthTokenVerifier {
  const expected = digest(token);
  return {
    async verifyAccessToken(bearerToken) {
      if (!timingSafeEqual(digest(bearerToken), expected)) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'This is not the token of this server.');
      }
      const expiresAt = Math.floor(Date.now() / 1_000) + EXPIRES_AFTER_S;
      return { token: bearerToken, clientId: 'keepsake-mcp', scopes: [], expiresAt };
    },
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
