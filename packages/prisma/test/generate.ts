/*
 * Makes the clients that the tests use, one for each database: out of the models that the package ships, beside those of
 * an application. Nx runs it before the tests and the type checks.
 */
import { join } from 'node:path';
import { generatePrismaClient } from '@keepsake/prisma-client';

for (const provider of ['postgresql', 'sqlite']) {
  const own = join(import.meta.dirname, 'schemas', `${provider}.prisma`);
  await generatePrismaClient([own, join(import.meta.dirname, '../prisma', provider, 'keepsake.prisma')]);
}
