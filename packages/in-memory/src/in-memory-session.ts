import type { AnyItem, JsonObject } from '@keepsake/core';
import { expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import { MappedSession } from './mapped-session.ts';

/** Options of {@link InMemorySession}. */
export interface InMemorySessionOptions<Item extends object = JsonObject> {
  /**
   * The id of the session.
   *
   * @default a new UUID version 7
   */
  readonly sessionId?: string | undefined;
  /**
   * The initial items of the history.
   *
   * @default none
   */
  readonly initialItems?: readonly Item[] | undefined;
}

/**
 * A session in the memory of this process, for tests and short-lived processes. It is lost with this object.
 *
 * To open the same session several times, use an `InMemorySessionStore`.
 *
 * @example
 * const session = new InMemorySession();
 * await session.addItems([{ role: 'user', content: 'Hello' }]);
 */
export class InMemorySession<Item extends object = AnyItem> extends MappedSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid id or invalid items, `TOO_LARGE` for an item over 16 MiB. */
  constructor(options: InMemorySessionOptions<Item> = {}) {
    const { sessionId = uuidv7(), initialItems } = expectKnownFields(options, OPTIONS);
    super(sessionId, new Map(), initialItems);
  }
}

const OPTIONS: FieldNames<InMemorySessionOptions> = { sessionId: true, initialItems: true };
