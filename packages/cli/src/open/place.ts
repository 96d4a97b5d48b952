import { usageFailure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
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
  const backend = await openBackend(placeSettings(path), mayCreate, surroundings);
  backend.expectExists?.();
  return backend;
}

function placeSettings(path: string): BackendSettings {
  if (/\.[cm]?[jt]s$/.test(path)) return { config: path };
  if (/\.(?:db|sqlite3?)$/.test(path)) return { sqlite: path };
  return { directory: path };
}
