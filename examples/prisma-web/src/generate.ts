/**
 * Generates a Prisma Client for each database that this example can use. In your application, `npx prisma generate` does
 * this.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatePrismaClient } from '@keepsake/prisma-client';

const keepsake = dirname(fileURLToPath(import.meta.resolve('@keepsake/prisma/package.json')));
for (const provider of ['sqlite', 'postgresql']) {
  await generatePrismaClient([
    join(import.meta.dirname, `../schema/${provider}.prisma`),
    join(keepsake, 'prisma', provider, 'keepsake.prisma'),
  ]);
}
