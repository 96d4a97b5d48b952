import { readFileSync } from 'node:fs';

/** The package.json of this package. */
const MANIFEST: { readonly version: string; readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Keepsake's packages have versions of their own, and work with each other before 1.0. The newest is installed. */
const KEEPSAKE = '>=0.0.0 <1.0.0';

export const { version: VERSION } = MANIFEST;

/** The version of a package in a project: the range with which the templates are tested. */
export function rangeOf(name: string): string {
  const range = name.startsWith('@keepsake/') ? KEEPSAKE : MANIFEST.devDependencies[name];
  if (range === undefined) throw new Error(`${name} is not in the devDependencies of create-keepsake.`);
  return range;
}
