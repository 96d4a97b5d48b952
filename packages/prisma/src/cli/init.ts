import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Dialect } from '@keepsake/sql';
import { type PrismaConfig, readPrismaConfig } from './prisma-config.ts';
import {
  findMigrations,
  findSchema,
  type PrismaDatasource,
  type PrismaSchema,
  readDatasource,
} from './prisma-schema.ts';

/** Paths are relative to the project. */
export interface InitOptions {
  /** @default what Prisma's configuration names, or where Prisma looks without one */
  readonly schema?: string | undefined;
  /** @default what Prisma's configuration names, or the folder beside the schema */
  readonly migrations?: string | undefined;
  /**
   * Whether to replace a `keepsake.prisma` that differs from this version's.
   *
   * @default false
   */
  readonly overwrite?: boolean | undefined;
}

export interface InitResult {
  /** What was done and what to do next, for people to read. */
  readonly lines: readonly string[];
  /** Whether the project now has all models and migrations of this version. */
  readonly complete: boolean;
}

/** The folder of this package, which holds the files to copy. */
const PACKAGE = dirname(fileURLToPath(import.meta.resolve('@keepsake/prisma/package.json')));

/**
 * Adds Keepsake's models and migrations to a Prisma project. Keeps files that exist.
 *
 * @throws Error if there is no schema, or its database is not supported. Writes nothing then.
 */
export function init(project: string, options: InitOptions = {}): InitResult {
  const config = readPrismaConfig(project, options);
  const schema = findSchema(project, options.schema, config.schema);
  const datasource = readDatasource(project, schema);
  const migrations = resolve(project, options.migrations ?? config.migrations ?? findMigrations(schema));

  const models = putModels(join(schema.folder, 'keepsake.prisma'), datasource, options.overwrite ?? false);
  const results = [models, ...putMigrations(migrations, datasource.dialect)];
  const lines = results.map(({ path, what }) => `${relative(project, path)}: ${what}`);
  const steps = nextSteps(project, { config, schema, migrations });
  return { lines: [...lines, '', ...steps], complete: results.every(({ current }) => current) };
}

/** A file that exists after `init`. */
interface Put {
  readonly path: string;
  readonly what: string;
  /** Whether it is what this version ships. */
  readonly current: boolean;
}

function putModels(path: string, { dialect, schema }: PrismaDatasource, overwrite: boolean): Put {
  const shipped = readFileSync(join(PACKAGE, 'prisma', dialect, 'keepsake.prisma'), 'utf8');
  // If a datasource lists `schemas`, Prisma requires one in every model.
  const text = schema === undefined ? shipped : shipped.replace(/^ {2}@@map\(.*$/gm, `$&\n  @@schema("${schema}")`);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (before !== undefined && isSame(before, text)) return { path, what: 'up to date', current: true };
  if (before !== undefined && !overwrite) {
    return { path, what: 'kept, but differs from this version. --overwrite replaces it', current: false };
  }
  writeFileSync(path, text);
  return { path, what: before === undefined ? 'written' : 'replaced', current: true };
}

/** Writes one Prisma migration for each of Keepsake's, dated after those that exist, because Prisma applies them by date. */
function putMigrations(folder: string, dialect: Dialect): Put[] {
  const source = join(PACKAGE, 'migrations', dialect);
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'migration_lock.toml');
  if (!existsSync(lock)) writeFileSync(lock, `provider = "${dialect}"\n`);
  const existing = readdirSync(folder);
  const times = existing.map((name) => Number(/^\d{14}/.exec(name)?.[0] ?? 0));
  let time = Math.max(Number(new Date().toISOString().replace(/\D/g, '').slice(0, 14)), ...times);
  return readdirSync(source)
    .sort()
    .map((file) => {
      const name = `keepsake_${basename(file, '.sql')}`;
      const text = readFileSync(join(source, file), 'utf8');
      const existingName = existing.find((one) => one.endsWith(`_${name}`));
      if (existingName !== undefined) return keptMigration(join(folder, existingName, 'migration.sql'), text);
      const path = join(folder, `${++time}_${name}`, 'migration.sql');
      mkdirSync(dirname(path));
      writeFileSync(path, text);
      return { path, what: 'written', current: true };
    });
}

/** Never replaces a migration: it may have been applied. */
function keptMigration(path: string, text: string): Put {
  const current = existsSync(path) && isSame(readFileSync(path, 'utf8'), text);
  return { path, what: current ? 'up to date' : 'kept, but differs from this version', current };
}

/** Ignores white space, because editors and Git change it. */
function isSame(one: string, other: string): boolean {
  const plain = (text: string) => text.trim().split(/\s+/).join(' ');
  return plain(one) === plain(other);
}

interface Project {
  readonly config: PrismaConfig;
  readonly schema: PrismaSchema;
  /** The folder of the migrations. */
  readonly migrations: string;
}

function nextSteps(project: string, { config, schema, migrations }: Project): string[] {
  const nameOf = (path: string) => relative(join(project, dirname(config.file)), path).replaceAll('\\', '/') || '.';
  const isElsewhere = config.migrations === undefined && migrations !== join(schema.folder, 'migrations');
  const settings = [
    ...(schema.isFolder ? [] : [`make the schema a folder: schema: '${nameOf(schema.folder)}'`]),
    ...(isElsewhere ? [`name the folder of the migrations: migrations: { path: '${nameOf(migrations)}' }`] : []),
  ];
  return [
    'Next:',
    ...settings.map((setting) => `- in ${config.file}, ${setting}`),
    '- npx prisma generate',
    '- npx prisma migrate deploy',
  ];
}
