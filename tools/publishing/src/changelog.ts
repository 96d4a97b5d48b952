import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The entry of a version in the CHANGELOG.md of a package: its number, then the text. `undefined` if there is none. */
export function changelogEntry(directory: string, version: string): string | undefined {
  const path = join(directory, 'CHANGELOG.md');
  const entries = existsSync(path) ? readFileSync(path, 'utf8').split(/^## /m) : [];
  return entries.find((entry) => entry.startsWith(`${version}\n`));
}
