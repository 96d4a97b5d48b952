import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { type BuiltFile, installedWith } from './entries.ts';
import { someStemmers } from './some-stemmers.ts';

/**
 * Bundles the sources of a package: one file for each of `paths`, as `dist/index.js`.
 *
 * Left out is what npm installs along with it. The rest of what it imports is in the file: its own sources, those of
 * packages of this repository, libraries. Names and lines stay as they were written, for whoever reads the file or a stack trace;
 * comments go, but for those that a licence wants (`/*!`) and those that tell other bundlers what they may leave out.
 */
export async function bundleCode(directory: string, paths: readonly string[]): Promise<BuiltFile[]> {
  const built = await Promise.all(paths.map((path) => bundle(directory, path)));
  return built;
}

async function bundle(directory: string, path: string): Promise<BuiltFile> {
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: [join('src', `${basename(path, '.js')}.ts`)],
    outfile: path,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    charset: 'utf8',
    conditions: ['@keepsake/source'],
    external: installedWith(directory),
    plugins: [someStemmers],
    logLevel: 'warning',
  });
  return { path, text: outputFiles.map(({ text }) => text).join('') };
}
