import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Dialect } from '@keepsake/sql';
import { type Datasource, getSchema, type Value } from '@mrleebo/prisma-ast';

/** The Prisma schema of a project. */
export interface PrismaSchema {
  /** The file, or the folder if the schema has several files. */
  readonly path: string;
  readonly isFolder: boolean;
  /** The folder that holds the schema's files. */
  readonly folder: string;
}

/** What `datasource` in a schema says. */
export interface PrismaDatasource {
  readonly dialect: Dialect;
  /** The PostgreSQL schema for Keepsake's models, if the datasource lists `schemas`. */
  readonly schema?: string | undefined;
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  postgresql: 'postgresql',
  postgres: 'postgresql',
  sqlite: 'sqlite',
};

/** Where Prisma looks for a schema that nothing names. */
const DEFAULT_PATHS = ['prisma/schema', 'prisma/schema.prisma', 'schema.prisma'];

/** Looks only at `givenPath`; without it, at `configured` and then the default paths. @throws Error if there is no schema. */
export function findSchema(
  project: string,
  givenPath: string | undefined,
  configured: string | undefined,
): PrismaSchema {
  const defaults = configured === undefined ? DEFAULT_PATHS : [configured, ...DEFAULT_PATHS];
  const candidates = givenPath === undefined ? defaults : [givenPath];
  const path = candidates.map((candidate) => resolve(project, candidate)).find((one) => existsSync(one));
  if (path === undefined) {
    throw new Error(
      `There is no Prisma schema at ${candidates.join(', ')}. Pass its path with --schema, or run npx prisma init.`,
    );
  }
  const isFolder = statSync(path).isDirectory();
  return { path, isFolder, folder: isFolder ? path : dirname(path) };
}

/**
 * Where Prisma looks for migrations that no configuration names: in the folder of the schema. If that folder holds nothing
 * but the schema, migrations are usually beside it.
 */
export function findMigrations({ isFolder, folder }: PrismaSchema): string {
  const inside = join(folder, 'migrations');
  const beside = join(dirname(folder), 'migrations');
  return !isFolder || basename(folder) === 'prisma' || existsSync(inside) ? inside : beside;
}

/** @throws Error if the schema cannot be parsed, or is for a database that Keepsake does not support. */
export function readDatasource(project: string, schema: PrismaSchema): PrismaDatasource {
  const assignments = findDatasource(project, schema)?.assignments ?? [];
  const stringsAt = (key: string) =>
    assignments.flatMap((one) => (one.type === 'assignment' && one.key === key ? stringsOf(one.value) : []));
  const [provider] = stringsAt('provider');
  const schemas = stringsAt('schemas');
  const dialect = DIALECTS[provider ?? ''];
  if (dialect !== undefined) return { dialect, schema: schemas.includes('public') ? 'public' : schemas[0] };
  const problem = provider === undefined ? 'names no provider' : `is for ${provider}`;
  const path = relative(project, schema.path);
  throw new Error(`The datasource of ${path} ${problem}. Keepsake needs "postgresql" or "sqlite".`);
}

/** Reports a file that cannot be parsed only if no other file has the datasource: Prisma may know syntax that the parser does not. */
function findDatasource(project: string, { path, isFolder }: PrismaSchema): Datasource | undefined {
  const names = isFolder ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [''];
  const files = names.map((name) => join(path, name)).filter((file) => file.endsWith('.prisma') || !isFolder);
  let failure: Error | undefined;
  for (const file of files) {
    try {
      const { list } = getSchema(plainSyntax(readFileSync(file, 'utf8')));
      const datasource = list.find((block) => block.type === 'datasource');
      if (datasource !== undefined) return datasource;
    } catch (cause) {
      const { message, token } = cause as Error & { readonly token?: { readonly startLine?: number } };
      const reason = `${message.replace(/\s+/g, ' ')} (line ${token?.startLine})`;
      failure ??= new Error(`Cannot parse ${relative(project, file)}: ${reason}.`, { cause });
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/** Removes comments and blanks at the end of lines. Prisma allows both in places where the parser does not. */
function plainSyntax(text: string): string {
  const stringOrComment = /"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|\/\/.*/g;
  const plain = text.replace(stringOrComment, (match) => (match.startsWith('"') ? match : match.replace(/.+/g, '')));
  return plain.replace(/[ \t]+$/gm, '');
}

/** The strings in a value. The parser leaves them in their quotes. */
function stringsOf(value: Value): string[] {
  if (typeof value === 'string') return value.startsWith('"') ? [JSON.parse(value) as string] : [];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return typeof value === 'object' && value?.type === 'array' ? value.args.flatMap(stringsOf) : [];
}
