import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { readEntries } from '@keepsake/bundling';
import type { Tarball } from './pack.ts';

const EXPECTED = ['LICENSE', 'README.md', 'package.json'];

/** The unwanted and the missing files of a tarball. `directory` is where the package was built. */
export function contentFaults(files: Tarball['files'], directory: string): string[] {
  const paths = files.map(({ path }) => path);
  const missing = EXPECTED.filter((path) => !paths.includes(path));
  const { files: folders = ['dist'] } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const isPacked = (path: string) => folders.some((folder: string) => path.startsWith(`${folder}/`));
  const others = paths.filter((path) => !isPacked(path) && !EXPECTED.includes(path));
  const { code, types } = readEntries(directory);
  const entries = [...code, ...types];
  // What several entries share, or load only when they need it, is in files of its own, see @keepsake/bundling.
  const isReachable = (path: string) => entries.includes(path) || /^dist\/shared\d*\.(js|d\.ts)$/.test(path);
  const unreachable = paths.filter((path) => path.startsWith('dist/') && !isReachable(path.replace(/\.map$/, '')));
  return [
    ...missing.map((path) => `${path} is missing.`),
    ...others.map((path) => `${path} does not belong in a package.`),
    ...entries.filter((path) => !paths.includes(path)).map((path) => `${path} is missing, which package.json names.`),
    ...unreachable.map((path) => `${path} is not an entry of package.json, so it can't be imported.`),
    ...paths.filter((path) => path.endsWith('.js')).flatMap((path) => sourceMapFaults(path, paths, directory)),
  ];
}

/** A missing source map, or a map without its sources, is worse for debuggers than no map at all. */
function sourceMapFaults(path: string, paths: readonly string[], directory: string): string[] {
  const [, name] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(readFileSync(join(directory, path), 'utf8')) ?? [];
  if (name === undefined) return [];
  const map = posix.join(dirname(path), name);
  if (!paths.includes(map)) return [`${path} names the source map ${name}, which is not packed.`];
  const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(directory, map), 'utf8'));
  return sources.every((source: string, index: number) => {
    return typeof sourcesContent[index] === 'string' || paths.includes(posix.join(dirname(map), source));
  })
    ? []
    : [`${map} has sources that are not packed.`];
}
