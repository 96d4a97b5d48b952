export { generatePrismaClient } from './generate-prisma-client.ts';
