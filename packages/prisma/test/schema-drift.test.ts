import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatPrismaSchema, schemaDrift } from '@keepsake/prisma-client';
import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaPg } from '@prisma/adapter-pg';
import { describe, expect, it } from 'vitest';
import { type Database, type DatabaseKind, sharedDatabase } from './databases.ts';

/** What Prisma Migrate would change to make the database match the models of the package. */
function driftOf({ dialect, url }: Database): Promise<string | undefined> {
  const models = readFileSync(join(import.meta.dirname, '../prisma', dialect, 'keepsake.prisma'), 'utf8');
  const adapter = dialect === 'sqlite' ? new PrismaLibSql({ url }) : new PrismaPg({ connectionString: url });
  return schemaDrift(`datasource db {\n  provider = "${dialect}"\n}\n${models}`, adapter);
}

it.each(['postgresql', 'sqlite'])('`prisma format` does not change the models for %s', async (dialect) => {
  const models = readFileSync(join(import.meta.dirname, '../prisma', dialect, 'keepsake.prisma'), 'utf8');
  expect(await formatPrismaSchema(models)).toBe(models);
});

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite'])('Prisma Migrate on %s', (kind) => {
  const shared = sharedDatabase(kind);

  it('finds no difference between migrations and models', async () => {
    expect(await driftOf(shared.database)).toBeUndefined();
  });

  it('finds a missing column and an extra table', async () => {
    const { prisma } = shared.database;
    await prisma.$executeRawUnsafe('ALTER TABLE keepsake_operations DROP COLUMN digest');
    await prisma.$executeRawUnsafe('CREATE TABLE mine (id integer NOT NULL PRIMARY KEY)');
    const drift = await driftOf(shared.database);
    expect(drift).toMatch(/keepsake_operations" .*"digest" TEXT NOT NULL/s);
    expect(drift).toMatch(/DROP TABLE "mine"/);
  });
});
