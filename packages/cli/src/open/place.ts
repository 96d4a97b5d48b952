import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT } from '../exit-codes.ts';
import { Failure, usageFailure } from '../failure.ts';
import { pathOf, type Surroundings } from '../surroundings.ts';
import type { Backend } from './backend.ts';
import { type BackendSettings, openBackend } from './open-backend.ts';

/** Opens what a path names: a configuration, an SQLite file or a directory with Keepsake's files. */
export async function openPlace(
  path: string,
  option: string,
  mayCreate: boolean,
  surroundings: Surroundings,
): Promise<Backend> {
  if (path === '') throw usageFailure(`${option} must be a configuration, an SQLite file or a directory.`);
  const settings = placeSettings(path);
  const isMissing = settings.directory !== undefined && !mayCreate && !existsSync(resolve(pathOf(surroundings, path)));
  if (isMissing) throw new Failure('MISSING', `There is no directory ${path}.`, EXIT.nothing);
  return openBackend(settings, mayCreate, surroundings);
}

function placeSettings(path: string): BackendSettings {
  if (/\.[cm]?[jt]s$/.test(path)) return { config: path };
  if (/\.(?:db|sqlite3?)$/.test(path)) return { sqlite: path };
  return { directory: path };
}
