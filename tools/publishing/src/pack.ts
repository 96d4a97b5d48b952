import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm, parseReports } from '@keepsake/testing/npm';
import type { Package } from './packages.ts';

/** A packed package. */
export interface Tarball {
  readonly path: string;
  /** The paths of its files, with `/`. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

interface PackReport {
  readonly name: string;
  readonly filename: string;
  readonly files: Tarball['files'];
}

/** Packs built packages into `destination`, which is created. Returns them by name. */
export async function pack(packages: readonly Package[], destination: string): Promise<Map<string, Tarball>> {
  expectBuilt(packages);
  mkdirSync(destination, { recursive: true });
  const directories = packages.map(({ directory }) => directory);
  const json = await npm(['pack', '--json', '--pack-destination', destination, ...directories], { cwd: destination });
  return new Map(
    parseReports<PackReport>(json).map(({ name, filename, files }) => [
      name,
      { path: join(destination, filename), files },
    ]),
  );
}

/** @throws Error if a package has no `dist/`, because npm would pack it anyway. */
export function expectBuilt(packages: readonly Package[]): void {
  const missing = packages.filter(({ directory }) => !existsSync(join(directory, 'dist')));
  if (missing.length > 0) {
    throw new Error(`Not built: ${missing.map(({ name }) => name).join(', ')}. Run \`npm run build\` first.`);
  }
}
