import { existsSync } from 'node:fs';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { pathOf, type Surroundings } from '../surroundings.ts';
import type { Backend } from './backend.ts';

/**
 * An SQLite file of `@keepsake/sqlite`.
 *
 * @param mayCreate - Whether a missing file is created. Opening it would, even for a command that only reads.
 */
export function sqliteBackend(path: string, mayCreate: boolean, surroundings: Surroundings): Backend {
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
      if (!mayCreate && !existsSync(file)) throw missing(path);
    },
    async backup(target) {
      if (!existsSync(file)) throw missing(path);
      await new (await load()).SqliteSessionStore({ file }).backup(target);
      return {};
    },
  };
}

function missing(path: string): Failure {
  return new Failure('MISSING', `There is no file ${path}.`, EXIT.nothing);
}
