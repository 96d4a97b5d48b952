import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

// What the Prisma CLI is made of. The CLI itself weighs 160 MB more, and downloads an engine that this has no use for.
// Imported, they would not find their own files.
const require = createRequire(import.meta.url);
const { PrismaClientTsGenerator } =
  require('@prisma/client-generator-ts') as typeof import('@prisma/client-generator-ts');
const { formatSchema, getGenerators, processSchemaResult } =
  require('@prisma/internals') as typeof import('@prisma/internals');

/**
 * Generates the client of a schema, as `prisma generate` would: where the schema's generator says, by way of the provider
 * `prisma-client`.
 *
 * @param files the files of the schema, as absolute paths; the folder of the first is what its paths are relative to.
 */
export async function generatePrismaClient(files: readonly [string, ...string[]]): Promise<void> {
  const folder = dirname(files[0]);
  const schemaContext = await processSchemaResult({
    schemaResult: {
      schemaPath: folder,
      schemaRootDir: folder,
      schemas: files.map((file) => [file, readFileSync(file, 'utf8')]),
    },
    printLoadMessage: false,
  });
  const generators = await getGenerators({
    schemaContext,
    registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
    skipDownload: true,
    cliCommand: 'prisma generate',
  });
  for (const generator of generators) {
    await generator.generate();
    generator.stop();
  }
}

/** A schema as `prisma format` leaves it. */
export async function formatPrismaSchema(text: string): Promise<string> {
  const [formatted] = await formatSchema({ schemas: [['schema.prisma', text]] });
  return formatted?.[1] ?? '';
}
