import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/postgresql/client.ts';
import { PrismaClient as SqliteClient } from './generated/sqlite/client.ts';

/** A client of the database at a URL. For tests, the client for SQLite has the same type. */
export function connectTo(url: string, { connections = 10 } = {}): PrismaClient {
  return url.startsWith('file:')
    ? (new SqliteClient({ adapter: new PrismaLibSql({ url }) }) as unknown as PrismaClient)
    : new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: connections }) });
}
