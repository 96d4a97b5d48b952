import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of a file in `dist/`, relative to the package. */
export interface BuiltFile {
  readonly path: string;
  readonly text: string;
}

/** The fields of package.json that determine what to bundle. */
interface Manifest {
  readonly exports?: unknown;
  readonly bin?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * The files of `dist/` that package.json names, without `./`: entries, programs and their types. `dist/a.js` and
 * `dist/a.d.ts` are built from `src/a.ts`.
 */
export function readEntries(directory: string): { readonly code: string[]; readonly types: string[] } {
  const { exports = {}, bin = {} } = readManifest(directory);
  const built = [...new Set([...pathsOf(exports), ...pathsOf(bin)])]
    .filter((path) => path.startsWith('./dist/'))
    .map((path) => path.slice(2));
  const ending = (end: string) => built.filter((path) => path.endsWith(end));
  return { code: ending('.js'), types: ending('.d.ts') };
}

/** The paths of `exports` or `bin`, under all names and conditions. */
function pathsOf(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry];
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(pathsOf) : [];
}

/** The packages that npm installs along with a package. All other imports are bundled. */
export function installedWith(directory: string): string[] {
  const { dependencies, peerDependencies } = readManifest(directory);
  return Object.keys({ ...dependencies, ...peerDependencies });
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}
