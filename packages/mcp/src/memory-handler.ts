import type { Namespace, RecordStore, SessionStore } from '@keepsake/core';
import { checkNamespace, expect, expectFields } from '@keepsake/core/adapter';
import { LruMap } from '@keepsake/internal';
import type { AuthInfo, VerifyBearerTokenOptions } from '@modelcontextprotocol/server';
import { guardedHandler } from './http/guarded-handler.ts';
import type { MemoryHandler } from './http/handler.ts';
import { serverFactory } from './memory-server.ts';
import { SETTINGS, type ServerSettings } from './server-settings.ts';

/** Options of {@link memoryHandler}. */
export interface MemoryHandlerOptions extends ServerSettings {
  /** The store above the namespaces of all users. */
  readonly store: RecordStore;
  /**
   * Verifies bearer tokens: the options of `requireBearerAuth` of `@modelcontextprotocol/server`. Its verifier must return
   * when a token expires.
   */
  readonly auth: VerifyBearerTokenOptions;
  /**
   * Returns the namespace of the user of a verified token, below that of `store`. Two tokens have the same memory only if
   * they have the same namespace. It must not be empty, because that would be the memory above all users.
   */
  readonly namespaceOf: (auth: AuthInfo) => Namespace | Promise<Namespace>;
  /**
   * Returns the sessions that the user of a verified token can read, all of them.
   *
   * @default none
   */
  readonly sessionsOf?: ((auth: AuthInfo) => SessionStore | undefined | Promise<SessionStore | undefined>) | undefined;
  /**
   * The names in the `Host` header that are served, without a port.
   *
   * @default localhost, 127.0.0.1 and [::1]
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The names of the hosts whose web pages may call, without scheme and port. A request without `Origin` is not from a web
   * page.
   *
   * @default localhost, 127.0.0.1 and [::1]
   */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** How many users' stores are kept open, the latest. */
const MAX_STORES = 1_000;

/**
 * The MCP server of many users' memory over Streamable HTTP. Each request is for the user of its bearer token; without a
 * valid one it is refused, and so are other hosts and web pages of other origins. See {@link serveHttp}.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for unknown or invalid options.
 *
 * @example
 * const handler = memoryHandler({ store, auth: { verifier }, namespaceOf: ({ clientId }) => ['u', clientId] });
 */
export function memoryHandler(options: MemoryHandlerOptions): MemoryHandler {
  const fields = expectFields(options, '', {
    ...SETTINGS,
    store: ['get', 'put', 'list', 'search', 'within'],
    auth: [
      (auth) => typeof (auth as VerifyBearerTokenOptions)?.verifier?.verifyAccessToken === 'function',
      HAS_VERIFIER,
    ],
    namespaceOf: 'function',
    sessionsOf: 'function',
    allowedHosts: 'array',
    allowedOrigins: 'array',
  });
  const { store, auth, namespaceOf, sessionsOf, allowedHosts, allowedOrigins, ...settings } = fields;
  expect(store, '`store` is missing. Pass a store, such as new FileStore({ … }).');
  expect(auth, '`auth` is missing. Pass { verifier }, which verifies the tokens of your users.');
  expect(namespaceOf, '`namespaceOf` is missing. Pass a function that returns the namespace of a user.');
  const stores = new LruMap<string, RecordStore>(MAX_STORES);
  const factory = serverFactory(async ({ authInfo }) => {
    expect(authInfo, 'The request has no user.');
    const namespace = checkNamespace(await namespaceOf(authInfo));
    expect(namespace.length > 0, 'namespaceOf must return at least one segment, such as the id of the user.');
    const sessions = await sessionsOf?.(authInfo);
    return { store: stores.getOrCreate(JSON.stringify(namespace), () => store.within(namespace)), sessions };
  }, settings);
  return guardedHandler(factory, { auth, allowedHosts, allowedOrigins, onError: settings.onError });
}

const HAS_VERIFIER = 'an object with a `verifier` that has verifyAccessToken()';
