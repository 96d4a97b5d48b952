import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { type Plugin, rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { compile } from './compile.ts';
import { type BuiltFile, installedWith } from './entries.ts';
import { someStemmers } from './some-stemmers.ts';

/**
 * Bundles the sources of a package: one file for each of `paths`, such as `dist/index.js` from `src/index.ts`. Shared code
 * is in a separate file, so that a class is the same from every entry.
 *
 * Packages that npm installs along with it stay external. All other imports are bundled: its own sources, private packages
 * of this repository, libraries. The code is not minified, so that files and stack traces stay readable.
 */
export async function bundleCode(directory: string, paths: readonly string[]): Promise<BuiltFile[]> {
  const plugins = [packagesFrom('src', '.ts'), someStemmers, compile];
  return bundle(directory, paths, { folder: 'src', ending: '.ts', built: '.js' }, plugins);
}

/**
 * Bundles the declarations in `out-tsc/lib` like the code: one file for each of `paths`, such as `dist/index.d.ts`,
 * including the types of bundled packages.
 */
export async function bundleTypes(directory: string, paths: readonly string[]): Promise<BuiltFile[]> {
  const plugins = [packagesFrom('out-tsc/lib', '.d.ts'), dts()];
  const files = await bundle(directory, paths, { folder: 'out-tsc/lib', ending: '.d.ts', built: '.d.ts' }, plugins);
  return files.map(({ path, text }) => ({ path, text: withAsyncDispose(withFileNames(text)) }));
}

/** TypeScript finds the declarations of a file by its name. */
function withFileNames(text: string): string {
  return text.replaceAll(/'(\.\/[\w-]+)\.d\.ts'/g, "'$1.js'");
}

/**
 * Declares `Symbol.asyncDispose`, because a user's `lib` may lack `esnext.disposable`. If it is there, the declarations
 * merge.
 */
function withAsyncDispose(text: string): string {
  return text.includes('[Symbol.asyncDispose]') ? text + ASYNC_DISPOSE : text;
}

const ASYNC_DISPOSE = `
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}
`;

async function bundle(
  directory: string,
  paths: readonly string[],
  sources: { readonly folder: string; readonly ending: string; readonly built: string },
  plugins: Plugin[],
): Promise<BuiltFile[]> {
  const installed = installedWith(directory);
  const external = (specifier: string) =>
    specifier.startsWith('node:') || installed.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  if (paths.length === 0) return [];
  const { folder, ending, built } = sources;
  const sourceOf = (path: string) => join(directory, folder, basename(path, built) + ending);
  const input = Object.fromEntries(paths.map((path) => [path, sourceOf(path)]));
  const bundled = await rollup({ input, external, plugins, onLog: fail });
  const { output } = await bundled.generate({
    format: 'es',
    entryFileNames: '[name]',
    chunkFileNames: `dist/shared${built}`,
    ...(paths.length === 1 ? { inlineDynamicImports: true } : {}),
  });
  return output.flatMap((file) => (file.type === 'chunk' ? [{ path: file.fileName, text: file.code }] : []));
}

/** Resolves bundled packages: ours to the sources or declarations of the imported entry, examples and others as Node does. */
function packagesFrom(folder: string, ending: string): Plugin {
  const { resolve } = createRequire(import.meta.url);
  return {
    name: 'packages',
    resolveId(specifier) {
      if (/^[./]/.test(specifier)) return undefined;
      const [, name, door = 'index'] = /^@keepsake\/(?!example-)([\w-]+)(?:\/([\w-]+))?$/.exec(specifier) ?? [];
      if (name === undefined) return resolve(specifier);
      return join(import.meta.dirname, '../../../packages', name, folder, `${door}${ending}`);
    },
  };
}

/** Fails on warnings, such as an unresolved import, because the package would be published with the problem. */
function fail(_level: string, { message }: { message: string }): never {
  throw new Error(message);
}
