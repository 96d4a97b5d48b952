import { fromMarkdown } from 'mdast-util-from-markdown';
import { visit } from 'unist-util-visit';
import type { Document } from './find-documents.ts';

/** The TypeScript of one fence, and the line of the document on which it begins (from 1). */
export interface Snippet {
  readonly path: string;
  readonly line: number;
  readonly code: string;
}

const LANGUAGES = ['ts', 'typescript', 'mts'];

/** The TypeScript fences of a document. Whatever else stands behind the language: nothing opts out. */
export function findSnippets({ path, text }: Document): Snippet[] {
  const snippets: Snippet[] = [];
  visit(fromMarkdown(text), 'code', ({ lang, value, position }) => {
    if (position === undefined || !LANGUAGES.includes((lang ?? '').toLowerCase())) return;
    snippets.push({ path, line: position.start.line + 1, code: value });
  });
  return snippets;
}
