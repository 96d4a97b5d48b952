import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { type Plugin, rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { compile } from './compile.ts';
import { type BuiltFile, installedWith } from './entries.ts';
import { someStemmers } from './some-stemmers.ts';

/**
 * Bundles the sources of a package: one file for each of `paths`, as `dist/index.js`, made of `src/index.ts`.
 *
 * Left out is what npm installs along with it. The rest of what it imports is in the file: its own sources, those of
 * packages of this repository, libraries. Names and lines stay as they were written, for whoever reads the file or a
 * stack trace.
 */
export async function bundleCode(directory: string, paths: readonly string[]): Promise<BuiltFile[]> {
  const plugins = [packagesFrom('src/index.ts'), someStemmers, compile];
  return bundle(directory, paths, (path) => join('src', `${basename(path, '.js')}.ts`), plugins);
}

/**
 * Bundles the declarations that the compiler has written to `out-tsc/lib`, like the code: one file for each of `paths`, as
 * `dist/index.d.ts`, with what it shows of packages that are bundled.
 */
export async function bundleTypes(directory: string, paths: readonly string[]): Promise<BuiltFile[]> {
  const plugins = [packagesFrom('out-tsc/lib/index.d.ts'), dts()];
  return bundle(directory, paths, (path) => join('out-tsc/lib', basename(path)), plugins);
}

async function bundle(
  directory: string,
  paths: readonly string[],
  sourceOf: (path: string) => string,
  plugins: Plugin[],
): Promise<BuiltFile[]> {
  const installed = installedWith(directory);
  const external = (specifier: string) =>
    specifier.startsWith('node:') || installed.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  return Promise.all(
    paths.map(async (path) => {
      const input = join(directory, sourceOf(path));
      const bundled = await rollup({ input, external, plugins, onLog: fail });
      const { output } = await bundled.generate({ format: 'es', inlineDynamicImports: true });
      return { path, text: output[0].code };
    }),
  );
}

/** Finds packages that are bundled: ours by a file in their folder, others as Node does. */
function packagesFrom(file: string): Plugin {
  const { resolve } = createRequire(import.meta.url);
  return {
    name: 'packages',
    resolveId(specifier) {
      if (/^[./]/.test(specifier)) return undefined;
      const [, name] = /^@keepsake\/([\w-]+)$/.exec(specifier) ?? [];
      return name === undefined ? resolve(specifier) : join(import.meta.dirname, '../../../packages', name, file);
    },
  };
}

/** Rollup goes on where it doubts, as over an import that it can't find; a package would be published with that. */
function fail(_level: string, { message }: { message: string }): never {
  throw new Error(message);
}
