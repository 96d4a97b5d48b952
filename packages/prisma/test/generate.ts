/*
 * Generates the clients for the tests, one for each database, from the models of the package and those of an application.
 * Nx runs it before the tests and the type checks.
 */
import { join } from 'node:path';
import { generatePrismaClient } from '@keepsake/prisma-client';

for (const provider of ['postgresql', 'sqlite']) {
  const own = join(import.meta.dirname, 'schemas', `${provider}.prisma`);
  await generatePrismaClient([own, join(import.meta.dirname, '../prisma', provider, 'keepsake.prisma')]);
}
