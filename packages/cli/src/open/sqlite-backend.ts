import { existsSync } from 'node:fs';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import type { Backend } from './backend.ts';

/**
 * An SQLite file of `@keepsake/sqlite`.
 *
 * @param mayCreate - Whether a missing file is created. Opening it would, even for a command that only reads.
 */
export function sqliteBackend(file: string, mayCreate: boolean): Backend {
  // Loaded only when needed, because Node before 24.15 warns when node:sqlite is loaded.
  const load = () => import('@keepsake/sqlite');
  return {
    kind: 'sqlite',
    path: file,
    configuration: {
      memory: async () => new (await load()).SqliteStore({ file, name: 'keepsake' }),
      sessions: async () => new (await load()).SqliteSessionStore({ file }),
    },
    expectExists() {
      if (!mayCreate && !existsSync(file)) throw missing(file);
    },
    async backup(target) {
      if (!existsSync(file)) throw missing(file);
      await new (await load()).SqliteSessionStore({ file }).backup(target);
      return {};
    },
  };
}

function missing(file: string): Failure {
  return new Failure('MISSING', `There is no file ${file}.`, EXIT.nothing);
}
