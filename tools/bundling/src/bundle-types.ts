import { basename, join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { type BuiltFile, installedWith } from './entries.ts';

/**
 * Bundles the declarations that the compiler has written to `out-tsc/lib`, like the code: one file for each of `paths`, as
 * `dist/index.d.ts`, with what it shows of packages that are bundled.
 */
export async function bundleTypes(directory: string, paths: readonly string[]): Promise<BuiltFile[]> {
  return Promise.all(paths.map((path) => bundle(directory, path)));
}

async function bundle(directory: string, path: string): Promise<BuiltFile> {
  const installed = installedWith(directory);
  const bundled = await rollup({
    input: join(directory, 'out-tsc/lib', basename(path)),
    external: (specifier) => installed.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
    plugins: [{ name: 'declarations-of-packages', resolveId: declarationsOf }, dts()],
    onLog: (level, { message }) => console[level](`${path}: ${message}`),
  });
  const { output } = await bundled.generate({ format: 'es' });
  return { path, text: output[0].code };
}

/** What a package of this repository declares, as the compiler has written it. */
function declarationsOf(specifier: string): string | undefined {
  const [, name] = /^@keepsake\/([\w-]+)$/.exec(specifier) ?? [];
  return name === undefined ? undefined : join(import.meta.dirname, '../../../packages', name, 'out-tsc/lib/index.d.ts');
}
