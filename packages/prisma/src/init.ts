import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Dialect } from './database.ts';
import { type PrismaConfig, readPrismaConfig } from './prisma-config.ts';

/** Where things are, when not where Prisma has them by itself. Paths are relative to the project. */
export interface InitOptions {
  readonly schema?: string | undefined;
  readonly migrations?: string | undefined;
  /** Whether models that are there, and are others, are replaced. */
  readonly overwrite?: boolean | undefined;
}

/** What was done, for people; and whether the project has all now. */
export interface InitResult {
  readonly lines: readonly string[];
  readonly complete: boolean;
}

/** The folder of this package, which holds what is copied. */
const PACKAGE = join(import.meta.dirname, '..');

/** How each provider of Prisma is called here, of those that can be used. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  postgresql: 'postgresql',
  postgres: 'postgresql',
  sqlite: 'sqlite',
};

/**
 * Puts the models and migrations of Keepsake into a Prisma project, as far as they are not there.
 *
 * @throws Error that says what is missing: there is no schema, or its database is none of PostgreSQL and SQLite. Nothing
 *   was written then.
 */
export function init(project: string, options: InitOptions = {}): InitResult {
  const config = readPrismaConfig(project);
  const schema = findSchema(project, options.schema, config.schema);
  const datasource = readDatasource(schema);
  const folder = schema.isFolder ? schema.path : dirname(schema.path);
  const migrations = resolve(project, options.migrations ?? config.migrations ?? findMigrations(schema, folder));

  const models = putModels(join(folder, 'keepsake.prisma'), datasource, options.overwrite ?? false);
  const results = [models, ...putMigrations(migrations, datasource.dialect)];
  const lines = results.map(({ path, what }) => `${relative(project, path)}: ${what}`);
  const steps = nextSteps(project, { config, schema, dialect: datasource.dialect, folder, migrations });
  return { lines: [...lines, '', ...steps], complete: results.every(({ fine }) => fine) };
}

interface Schema {
  readonly path: string;
  readonly isFolder: boolean;
}

function findSchema(project: string, given: string | undefined, configured: string | undefined): Schema {
  const usual = ['prisma/schema', 'prisma/schema.prisma', 'schema.prisma'];
  const places = given === undefined ? [...(configured === undefined ? [] : [configured]), ...usual] : [given];
  const found = places.map((place) => resolve(project, place)).find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(
      `There is no Prisma schema at ${places.join(', ')}. Name it with --schema, or run npx prisma init.`,
    );
  }
  return { path: found, isFolder: statSync(found).isDirectory() };
}

/**
 * Where Prisma looks for migrations unless it is told: in the folder of the schema. A folder for the schema alone has them
 * beside it, as a rule.
 */
function findMigrations({ isFolder }: Schema, folder: string): string {
  const within = join(folder, 'migrations');
  return !isFolder || basename(folder) === 'prisma' || existsSync(within)
    ? within
    : join(dirname(folder), 'migrations');
}

interface Datasource {
  readonly dialect: Dialect;
  /** Where the project names schemas of PostgreSQL: that of our models. */
  readonly schema?: string | undefined;
}

function readDatasource({ path, isFolder }: Schema): Datasource {
  const files = isFolder
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.prisma'))
        .map((name) => join(path, name))
    : [path];
  const text = files.map((file) => readFileSync(file, 'utf8').replace(/\/\/.*$/gm, '')).join('\n');
  const datasource = /\bdatasource\s+\w+\s*\{([^}]*)/.exec(text)?.[1] ?? '';
  const provider = /\bprovider\s*=\s*"(\w+)"/.exec(datasource)?.[1];
  const schemas = Array.from(
    /\bschemas\s*=\s*\[([^\]]*)/.exec(datasource)?.[1]?.matchAll(/"([^"]+)"/g) ?? [],
    ([, name]) => name,
  );
  const dialect = DIALECTS[provider ?? ''];
  if (dialect !== undefined) return { dialect, schema: schemas.includes('public') ? 'public' : schemas[0] };
  const what = provider === undefined ? 'names no provider' : `is for ${provider}`;
  throw new Error(`The datasource of ${path} ${what}. Keepsake needs "postgresql" or "sqlite".`);
}

/** A file that is there now, and whether it is as it should be. */
interface Put {
  readonly path: string;
  readonly what: string;
  readonly fine: boolean;
}

function putModels(path: string, { dialect, schema }: Datasource, overwrite: boolean): Put {
  const shipped = readFileSync(join(PACKAGE, 'prisma', dialect, 'keepsake.prisma'), 'utf8');
  // Prisma wants it of every model then.
  const text = schema === undefined ? shipped : shipped.replace(/^ {2}@@map\(.*$/gm, `$&\n  @@schema("${schema}")`);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (before !== undefined && isSame(before, text)) return { path, what: 'is there already', fine: true };
  if (before !== undefined && !overwrite) {
    const what = 'is another than that of this version, and was left as it is; --overwrite replaces it';
    return { path, what, fine: false };
  }
  writeFileSync(path, text);
  return { path, what: before === undefined ? 'written' : 'replaced', fine: true };
}

/** One migration of Prisma for each of ours, by the time of now: it is to come after those that are there. */
function putMigrations(folder: string, dialect: Dialect): Put[] {
  const source = join(PACKAGE, 'migrations', dialect);
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'migration_lock.toml');
  if (!existsSync(lock)) writeFileSync(lock, `provider = "${dialect}"\n`);
  const there = readdirSync(folder);
  const times = there.map((name) => Number(/^\d{14}/.exec(name)?.[0] ?? 0));
  let time = Math.max(timestamp(), ...times);
  return readdirSync(source)
    .sort()
    .map((file) => {
      const name = `keepsake_${basename(file, '.sql')}`;
      const text = readFileSync(join(source, file), 'utf8');
      const known = there.find((one) => one.endsWith(`_${name}`));
      if (known !== undefined) return keptMigration(join(folder, known, 'migration.sql'), text);
      const path = join(folder, `${++time}_${name}`, 'migration.sql');
      mkdirSync(dirname(path));
      writeFileSync(path, text);
      return { path, what: 'written', fine: true };
    });
}

/** A migration that may have been applied must not change. */
function keptMigration(path: string, text: string): Put {
  const same = existsSync(path) && isSame(readFileSync(path, 'utf8'), text);
  return same
    ? { path, what: 'is there already', fine: true }
    : { path, what: 'is another than that of this version, and was left as it is', fine: false };
}

/** Editors and Git change blanks and the ends of lines. */
function isSame(one: string, other: string): boolean {
  const plain = (text: string) => text.trim().split(/\s+/).join(' ');
  return plain(one) === plain(other);
}

function timestamp(): number {
  return Number(new Date().toISOString().replace(/\D/g, '').slice(0, 14));
}

/** What FTS5 makes. Prisma has no words for it, and would remove it. */
const EXTERNAL = ['words', 'terms', 'words_config', 'words_data', 'words_docsize', 'words_idx']
  .map((name) => `'keepsake_record_${name}'`)
  .join(', ');

interface Project {
  readonly config: PrismaConfig;
  readonly schema: Schema;
  readonly dialect: Dialect;
  /** The folders of the schema and of the migrations. */
  readonly folder: string;
  readonly migrations: string;
}

function nextSteps(project: string, { config, schema, dialect, folder, migrations }: Project): string[] {
  const nameOf = (path: string) => relative(join(project, dirname(config.file)), path).replaceAll('\\', '/') || '.';
  const isElsewhere = config.migrations === undefined && migrations !== join(folder, 'migrations');
  const settings = [
    ...(schema.isFolder ? [] : [`let the schema be the folder: schema: '${nameOf(folder)}'`]),
    ...(isElsewhere ? [`say where the migrations are: migrations: { path: '${nameOf(migrations)}' }`] : []),
    ...(dialect === 'sqlite'
      ? [
          `for npx prisma migrate dev, have it leave these alone: experimental: { externalTables: true }, tables: { external: [${EXTERNAL}] }`,
        ]
      : []),
  ];
  return [
    'Next:',
    ...settings.map((setting) => `- in ${config.file}, ${setting}`),
    '- npx prisma generate',
    '- npx prisma migrate deploy',
  ];
}
