import type { AnyItem } from '@keepsake/core';
import { expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import { SqlSession } from '@keepsake/sql';
import { driverOf } from './database/prisma-driver.ts';
import { type PrismaSessionStoreOptions, SESSION_STORE_OPTIONS } from './session-options.ts';

/** How to open a {@link PrismaSession}. */
export interface PrismaSessionOptions extends PrismaSessionStoreOptions {
  /** @default a new UUID, version 7 */
  readonly sessionId?: string | undefined;
}

const OPTIONS: FieldNames<PrismaSessionOptions> = { ...SESSION_STORE_OPTIONS, sessionId: true };

/**
 * A session in PostgreSQL or SQLite, through a Prisma Client. Any number of processes can share it. Each change is one
 * atomic statement.
 *
 * @example
 * const session = new PrismaSession({ prisma, sessionId: 'chat-42' });
 * await session.addItems([{ role: 'user', content: 'Where were we?' }]);
 */
export class PrismaSession<Item extends object = AnyItem> extends SqlSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PrismaSessionOptions) {
    const { prisma, sessionId = uuidv7(), ...sessionOptions } = expectKnownFields(options, OPTIONS);
    super(driverOf(prisma), sessionId, sessionOptions);
  }
}
