import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readDefaultExport, type StaticValue } from './static-values.ts';

/** What the Prisma configuration of a project says. Paths are relative to the project. */
export interface PrismaConfig {
  /** The configuration file. If there is none, the name to give it. */
  readonly file: string;
  readonly schema?: string | undefined;
  readonly migrations?: string | undefined;
}

/** Where Prisma 7 looks, in its order. Since 7.10, `prisma init` writes the first. */
const FILES = ['prisma7.config', '.config/prisma7', 'prisma.config', '.config/prisma'].flatMap((name) =>
  ['js', 'ts', 'mjs', 'cjs', 'mts', 'cts'].map((extension) => `${name}.${extension}`),
);

/**
 * Parses the configuration but does not run it: a configuration may import packages that are not installed yet, and
 * Prisma's `env('DATABASE_URL')` throws where that is not set. Ignores paths that only running it can tell.
 *
 * @throws Error if the file has a syntax error.
 */
export function readPrismaConfig(project: string): PrismaConfig {
  const file = FILES.find((name) => existsSync(join(project, name)));
  if (file === undefined) return { file: 'prisma.config.ts' };
  const config = parseConfig(project, file);
  // Prisma resolves paths from the folder of the configuration.
  const inProject = (path: StaticValue) =>
    typeof path === 'string' ? relative(project, join(project, dirname(file), path)) : undefined;
  return {
    file,
    schema: inProject(fieldOf(config, 'schema')),
    migrations: inProject(fieldOf(fieldOf(config, 'migrations'), 'path')),
  };
}

function parseConfig(project: string, file: string): StaticValue {
  try {
    return readDefaultExport(readFileSync(join(project, file), 'utf8'));
  } catch (cause) {
    throw new Error(`Cannot parse ${file}: ${(cause as Error).message}`, { cause });
  }
}

function fieldOf(value: StaticValue, name: string): StaticValue {
  return value instanceof Map ? value.get(name) : undefined;
}
