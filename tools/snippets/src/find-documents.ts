import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Markdown file. Its path is relative to the repository, with `/`. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

const DOCUMENTS = [
  '*.md',
  'docs/**/*.md',
  '{packages,examples,tools}/*/**/README.md',
  'tools/docs/home.md',
  '.changeset/README.md',
];

/** Every README and guide, and the home page of the site, below `root`, by path. */
export function findDocuments(root: string): Document[] {
  return globSync(DOCUMENTS, { cwd: root, exclude: ['**/node_modules', '**/dist', '**/out-tsc'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
