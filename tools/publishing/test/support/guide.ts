import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');

/** A guide of the repository, as its reader sees it: sections with commands and code. */
export class Guide {
  readonly #text: string;

  /** @param path - Relative to the repository. */
  constructor(path: string) {
    this.#text = readFileSync(join(root, path), 'utf8');
  }

  /** The code blocks of a language in the section below a heading, up to the next heading. */
  blocks(language: 'json' | 'sh' | 'ts', heading: string): string[] {
    const section = this.#text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
    if (section === undefined) throw new Error(`The guide has no section "${heading}".`);
    const fences = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms');
    return [...section.matchAll(fences)].map(([, code = '']) => code);
  }

  /** The row of a table that begins with a cell. */
  row(cell: string): string {
    return this.#text.split('\n').find((line) => line.startsWith(`| ${cell} |`)) ?? '';
  }
}
