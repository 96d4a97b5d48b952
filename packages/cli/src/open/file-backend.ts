import { existsSync } from 'node:fs';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { pathOf, type Surroundings } from '../surroundings.ts';
import type { Backend } from './backend.ts';

/**
 * A directory of `@keepsake/file`.
 *
 * @param mayCreate - Whether it may be missing: the first write creates it.
 */
export function fileBackend(path: string, mayCreate: boolean, surroundings: Surroundings): Backend {
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
      if (!mayCreate && !existsSync(directory)) throw missing(path);
    },
    async backup(target) {
      if (existsSync(directory)) return (await load()).backup({ directory, target });
      throw missing(path);
    },
  };
}

function missing(path: string): Failure {
  return new Failure('MISSING', `There is no directory ${path}.`, EXIT.nothing);
}
