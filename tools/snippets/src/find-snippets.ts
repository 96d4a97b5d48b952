import { posix } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { visit } from 'unist-util-visit';
import type { Document } from './find-documents.ts';

/** The TypeScript of one fence and its first line in the document (from 1). */
export interface Snippet {
  readonly path: string;
  readonly line: number;
  readonly code: string;
  /** The file that the fence shows, relative to the root, from ```` ```ts file=../src/index.ts ````. */
  readonly file?: string;
}

const LANGUAGES = ['ts', 'typescript', 'mts'];

/** The TypeScript fences of a document. Nothing after the language opts out. */
export function findSnippets({ path, text }: Document): Snippet[] {
  const snippets: Snippet[] = [];
  visit(fromMarkdown(text), 'code', ({ lang, meta, value, position }) => {
    if (position === undefined || !LANGUAGES.includes((lang ?? '').toLowerCase())) return;
    const [, file] = /^file=(\S+)$/.exec(meta ?? '') ?? [];
    const shown = file === undefined ? {} : { file: posix.join(posix.dirname(path), file) };
    snippets.push({ path, line: position.start.line + 1, code: value, ...shown });
  });
  return snippets;
}
