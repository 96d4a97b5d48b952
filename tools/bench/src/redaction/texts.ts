import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');

/** The documentation of this repository, as often as it takes. */
export const proseOf = (characters: number): string => textOf(['docs/*.md', 'packages/*/README.md'], characters);

/** The sources and tests of this repository, as often as it takes. */
export const codeOf = (characters: number): string => textOf(['packages/*/{src,test}/**/*.ts'], characters);

/** The text with a password in every piece of 5,000 characters. */
export function withSecrets(text: string): string {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += 5_000) {
    pieces.push(text.slice(from, from + 5_000), `\nDB_PASSWORD="correct horse ${from}"\n`);
  }
  return pieces.join('');
}

function textOf(globs: readonly string[], characters: number): string {
  const files = globs.flatMap((glob) => globSync(glob, { cwd: root })).sort();
  const once = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  return once.repeat(Math.ceil(characters / once.length)).slice(0, characters);
}
