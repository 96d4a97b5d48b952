import { type JsonObject, uuidv7 } from '@keepsake/core';
import { MappedSession } from './mapped-session.ts';

/** How to make an {@link InMemorySession}. */
export interface InMemorySessionOptions<Item extends object = JsonObject> {
  /** By default a fresh UUID version 7. */
  readonly sessionId?: string;
  /** What the history begins with. */
  readonly initialItems?: readonly Item[];
}

/**
 * A session that lives and dies with this object: for tests, and for processes that need not remember.
 *
 * To open one session from several places, use an `InMemorySessionStore`.
 */
export class InMemorySession<Item extends object = JsonObject> extends MappedSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for an id or items that can't be used, `TOO_LARGE` for an item over 16 MiB. */
  constructor(options: InMemorySessionOptions<Item> = {}) {
    super(options.sessionId ?? uuidv7(), new Map(), options.initialItems);
  }
}
