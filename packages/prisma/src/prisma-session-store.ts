import type { AnyItem, DurableSession } from '@keepsake/core';
import { expectKnownFields, uuidv7 } from '@keepsake/core/adapter';
import { SqlSessionStore } from '@keepsake/sql';
import { driverOf } from './database/prisma-driver.ts';
import { PrismaSession } from './prisma-session.ts';
import { type PrismaSessionStoreOptions, SESSION_STORE_OPTIONS } from './session-options.ts';

/**
 * The sessions in the database of a Prisma Client.
 *
 * @example
 * const sessions = new PrismaSessionStore({ prisma });
 * const { items } = await sessions.list(); // newest activity first
 */
export class PrismaSessionStore extends SqlSessionStore {
  readonly #options: PrismaSessionStoreOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PrismaSessionStoreOptions) {
    const checkedOptions = expectKnownFields(options, SESSION_STORE_OPTIONS);
    super(driverOf(checkedOptions.prisma), checkedOptions);
    this.#options = checkedOptions;
  }

  open<Item extends object = AnyItem>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new PrismaSession<Item>({ ...this.#options, sessionId });
  }
}
