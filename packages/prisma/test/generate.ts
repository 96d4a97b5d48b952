/*
 * Generates the clients for the tests, one for each database, from the models of the package and those of an application.
 * Nx runs it before the tests and the type checks. Also copies the migrations of PostgreSQL, which are those of
 * `@keepsake/postgres`, because `init` and npm take them from this package.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { generatePrismaClient } from '@keepsake/prisma-client';

const PACKAGE = join(import.meta.dirname, '..');

cpSync(join(PACKAGE, '../postgres/migrations'), join(PACKAGE, 'migrations/postgresql'), { recursive: true });
for (const provider of ['postgresql', 'sqlite']) {
  const own = join(import.meta.dirname, 'schemas', `${provider}.prisma`);
  await generatePrismaClient([own, join(PACKAGE, 'prisma', provider, 'keepsake.prisma')]);
}
