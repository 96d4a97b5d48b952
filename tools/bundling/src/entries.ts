import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of `dist/`, by its path in the package. */
export interface BuiltFile {
  readonly path: string;
  readonly text: string;
}

/** What of a package.json says what to bundle. */
interface Manifest {
  readonly exports?: unknown;
  readonly bin?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * The files of `dist/` that a package.json promises, without `./`: what is imported or run, and the types of that.
 * `dist/a.js` and `dist/a.d.ts` are made of `src/a.ts`.
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

/** The packages that npm installs along with a package. All others that it imports are bundled. */
export function installedWith(directory: string): string[] {
  const { dependencies, peerDependencies } = readManifest(directory);
  return Object.keys({ ...dependencies, ...peerDependencies });
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}
