import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a program with the sources of the workspace and all packages that it imports.
 *
 * @param external - Packages that the runtime resolves when it runs the program.
 * @returns Its code.
 */
export async function bundle(path: string, external: readonly string[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    absWorkingDir: join(import.meta.dirname, '../../..'),
    write: false,
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'es2024',
    conditions: ['@keepsake/source', 'import'],
    external: ['cloudflare:*', 'bun:*', 'node:*', ...external],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
