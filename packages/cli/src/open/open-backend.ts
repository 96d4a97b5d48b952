import { findConfig } from '@keepsake/config';
import { usageFailure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Backend } from './backend.ts';
import { configBackend } from './config-backend.ts';
import { fileBackend } from './file-backend.ts';
import { sqliteBackend } from './sqlite-backend.ts';

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
  const found = findConfig(surroundings.cwd());
  return found === undefined ? fileBackend(DIRECTORY, mayCreate, surroundings) : configBackend(found, surroundings);
}
