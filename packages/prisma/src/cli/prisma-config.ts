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

type ConfiguredPath = 'schema' | 'migrations';

/** Where Prisma 7 looks, in its order. Since 7.10, `prisma init` writes the first. */
const FILES = ['prisma7.config', '.config/prisma7', 'prisma.config', '.config/prisma'].flatMap((name) =>
  ['js', 'ts', 'mjs', 'cjs', 'mts', 'cts'].map((extension) => `${name}.${extension}`),
);

/**
 * Parses the configuration but does not run it: a configuration may import packages that are not installed yet, and
 * Prisma's `env('DATABASE_URL')` throws where that is not set.
 *
 * @param ignored - Paths that the caller does not need.
 * @throws Error if the file has a syntax error, or a path that only running it can tell.
 */
export function readPrismaConfig(
  project: string,
  ignored: { readonly [One in ConfiguredPath]?: unknown },
): PrismaConfig {
  const file = FILES.find((name) => existsSync(join(project, name)));
  if (file === undefined) return { file: 'prisma.config.ts' };
  const config = parseConfig(project, file);
  // Prisma resolves paths from the folder of the configuration.
  const inProject = (holder: StaticValue, name: string, option: ConfiguredPath) => {
    if (ignored[option] !== undefined || !(holder instanceof Map) || !holder.has(name)) return undefined;
    const path = holder.get(name);
    if (typeof path === 'string') return relative(project, join(project, dirname(file), path));
    throw new Error(`${file} computes the path of the ${option}. Pass it with --${option}.`);
  };
  const migrations = config instanceof Map ? config.get('migrations') : undefined;
  return {
    file,
    schema: inProject(config, 'schema', 'schema'),
    migrations: inProject(migrations, 'path', 'migrations'),
  };
}

function parseConfig(project: string, file: string): StaticValue {
  try {
    return readDefaultExport(readFileSync(join(project, file), 'utf8'));
  } catch (cause) {
    throw new Error(`Cannot parse ${file}: ${(cause as Error).message}`, { cause });
  }
}
