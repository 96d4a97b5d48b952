import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { findConfig, openConfig } from '@keepsake/config';
import { EXIT } from '../exit-codes.ts';
import { Failure, usageFailure } from '../failure.ts';
import { pathOf, type Surroundings } from '../surroundings.ts';
import type { Backend } from './backend.ts';

/** The options that select a backend: at most one of them. */
export interface BackendSettings {
  /** A configuration file. */
  readonly config?: string;
  /** A directory with Keepsake's files. */
  readonly directory?: string;
  /** An SQLite file. */
  readonly sqlite?: string;
}

/** The directory of commands without an option or a configuration. */
const DIRECTORY = '.keepsake';

/**
 * The backend of the options, of the nearest configuration, or else the files in `.keepsake`.
 *
 * @param mayCreate - Whether a directory or an SQLite file may be missing.
 * @throws Failure if the options are invalid.
 */
export async function openBackend(
  { config, directory, sqlite }: BackendSettings,
  mayCreate: boolean,
  surroundings: Surroundings,
): Promise<Backend> {
  if (config === '') throw usageFailure('--config must be the path of a file, such as keepsake.config.ts.');
  if (sqlite === '') throw usageFailure('--sqlite must be the path of a file, such as memory.db.');
  if (directory === '') throw usageFailure('--directory must be the path of a directory, such as .keepsake.');
  if (sqlite !== undefined) return sqliteBackend(sqlite, mayCreate, surroundings);
  if (config !== undefined) return configBackend(config, surroundings);
  if (directory !== undefined) return fileBackend(directory, mayCreate, surroundings);
  const file = findConfig(surroundings.cwd());
  return file === undefined ? fileBackend(DIRECTORY, mayCreate, surroundings) : configBackend(file, surroundings);
}

/** The backend of a configuration file. Its functions are called when a command needs what they return. */
async function configBackend(file: string, surroundings: Surroundings): Promise<Backend> {
  const cwd = surroundings.cwd();
  const { path, configuration } = await openConfig({ path: file, cwd });
  const below = relative(cwd, path);
  return { kind: 'configuration', path: below.startsWith('..') ? path : below, configuration };
}

/**
 * A directory of `@keepsake/file`.
 *
 * @param mayCreate - Whether it may be missing: the first write creates it.
 */
function fileBackend(path: string, mayCreate: boolean, surroundings: Surroundings): Backend {
  const directory = pathOf(surroundings, path);
  const damagedLogs = new Set<string>();
  const files = {
    directory,
    onCorrupt: ({ folder }: { readonly folder: string }) => void damagedLogs.add(folder),
  };
  const load = () => import('@keepsake/file');
  return {
    kind: 'files',
    path,
    configuration: {
      memory: async () => new (await load()).FileStore({ ...files, name: 'keepsake' }),
      sessions: async () => new (await load()).FileSessionStore(files),
    },
    damagedLogs: () => damagedLogs.size,
    expectExists() {
      if (!mayCreate && !existsSync(directory)) throw missing('directory', path);
    },
    async backup(target) {
      if (existsSync(directory)) return (await load()).backup({ directory, target });
      throw missing('directory', path);
    },
  };
}

/**
 * An SQLite file of `@keepsake/sqlite`.
 *
 * @param mayCreate - Whether a missing file is created. Opening it would, even for a command that only reads.
 */
function sqliteBackend(path: string, mayCreate: boolean, surroundings: Surroundings): Backend {
  const file = pathOf(surroundings, path);
  // Loaded only when needed, because Node before 24.15 warns when node:sqlite is loaded.
  const load = () => import('@keepsake/sqlite');
  return {
    kind: 'sqlite',
    path,
    configuration: {
      memory: async () => new (await load()).SqliteStore({ file, name: 'keepsake' }),
      sessions: async () => new (await load()).SqliteSessionStore({ file }),
    },
    expectExists() {
      if (!mayCreate && !existsSync(file)) throw missing('file', path);
    },
    async backup(target) {
      if (!existsSync(file)) throw missing('file', path);
      await new (await load()).SqliteSessionStore({ file }).backup(target);
      return {};
    },
  };
}

function missing(kind: 'directory' | 'file', path: string): Failure {
  return new Failure('MISSING', `There is no ${kind} ${path}.`, EXIT.nothing);
}
