import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

// Parts of the Prisma CLI. The CLI itself has 160 MB more and downloads an engine that is not needed here.
// With `import`, they would not find their own files.
const require = createRequire(import.meta.url);
const { PrismaClientTsGenerator } =
  require('@prisma/client-generator-ts') as typeof import('@prisma/client-generator-ts');
const { formatSchema, getGenerators, processSchemaResult } =
  require('@prisma/internals') as typeof import('@prisma/internals');

/**
 * Generates the client of a schema like `prisma generate`: to the output of the schema's generator, with the provider
 * `prisma-client`.
 *
 * @param files - The absolute paths of the schema files. Paths in the schema are relative to the folder of the first.
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

/** Formats a schema like `prisma format`. */
export async function formatPrismaSchema(text: string): Promise<string> {
  const [formatted] = await formatSchema({ schemas: [['schema.prisma', text]] });
  return formatted?.[1] ?? '';
}
