export { formatPrismaSchema, generatePrismaClient } from './generate-prisma-client.ts';
export { schemaDrift } from './schema-drift.ts';
