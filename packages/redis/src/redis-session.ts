import type { AnyItem } from '@keepsake/core';
import { AbstractSession, checkId, expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import {
  checkSessionOptions,
  type RedisSessionStoreOptions,
  SESSION_STORE_OPTIONS,
} from './sessions/session-options.ts';
import { StoredHistory } from './sessions/stored-history.ts';

/** Options of a {@link RedisSession}. */
export interface RedisSessionOptions extends RedisSessionStoreOptions {
  /**
   * The id of the session, 1 to 512 characters.
   *
   * @default a new UUID version 7
   */
  readonly sessionId?: string | undefined;
}

const OPTIONS: FieldNames<RedisSessionOptions> = { ...SESSION_STORE_OPTIONS, sessionId: true };

/**
 * A session in Redis that any number of processes can share, on one server or a cluster.
 *
 * Each change is atomic, and made once even if the client sends it again. A change larger than 256 MiB rejects with
 * `TOO_LARGE`. Reads skip and report damaged items; a change that would remove one rejects with `CORRUPT`, unless it clears
 * the session.
 *
 * @example
 * const session = new RedisSession({ client: new Redis(), sessionId: 'chat-42' });
 * await session.addItems([{ role: 'user', content: 'Where were we?' }]);
 * const items = await session.getItems(20);
 */
export class RedisSession<Item extends object = AnyItem> extends AbstractSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: RedisSessionOptions) {
    const { sessionId = uuidv7(), ...sessionOptions } = expectKnownFields(options, OPTIONS);
    const checked = checkSessionOptions(sessionOptions);
    checkId(sessionId, 'sessionId');
    super(sessionId, new StoredHistory(sessionId, checked));
  }
}
