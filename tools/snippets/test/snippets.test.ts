import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileSnippets } from '../src/compile-snippets.ts';
import { findDocuments } from '../src/find-documents.ts';
import { findSnippets } from '../src/find-snippets.ts';

const root = join(import.meta.dirname, '../../..');
const snippets = findDocuments(root).flatMap(findSnippets);
const errors = compileSnippets(snippets, root);

describe('every TypeScript snippet compiles', () => {
  it('and there is at least one snippet', () => {
    expect(snippets).not.toEqual([]);
  });

  it.each(snippets.map(({ path, line }, index) => ({ at: `${path}:${line}`, index })))('$at', ({ index }) => {
    expect(errors[index]?.join('\n')).toBe('');
  });
});
