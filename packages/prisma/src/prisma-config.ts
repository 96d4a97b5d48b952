import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the configuration of Prisma in a project says. Paths are relative to the project. */
export interface PrismaConfig {
  /** Its name; where there is none yet, what it would be called. */
  readonly file: string;
  readonly schema?: string;
  readonly migrations?: string;
}

/** Where Prisma 7 looks, in its order. `prisma init` writes the first since 7.10. */
const FILES = ['prisma7.config', '.config/prisma7', 'prisma.config', '.config/prisma'].flatMap((name) =>
  ['js', 'ts', 'mjs', 'cjs', 'mts', 'cts'].map((extension) => `${name}.${extension}`),
);

/**
 * Reads the configuration of a project as text, since it is a program that may need what is not here: only paths that stand
 * there as plain texts are found.
 */
export function readPrismaConfig(project: string): PrismaConfig {
  const file = FILES.find((name) => existsSync(join(project, name)));
  if (file === undefined) return { file: 'prisma.config.ts' };
  const text = readFileSync(join(project, file), 'utf8').replace(/^\s*\/\/.*$/gm, '');
  const schema = /\bschema\s*:\s*(['"`])([^'"`$]+)\1/.exec(text)?.[2];
  const migrations = /\bmigrations\s*:\s*\{[^}]*?\bpath\s*:\s*(['"`])([^'"`$]+)\1/.exec(text)?.[2];
  // They are relative to where the file is.
  const inProject = (path: string) => relative(project, join(project, dirname(file), path));
  return {
    file,
    ...(schema === undefined ? {} : { schema: inProject(schema) }),
    ...(migrations === undefined ? {} : { migrations: inProject(migrations) }),
  };
}
