import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describePage, readPages } from '../src/pages.ts';
import { root } from '../src/repository.ts';
import { SECTIONS } from '../src/sections.ts';

describe('the pages', () => {
  it('contain every guide in the sidebar, once', () => {
    const guides = globSync('docs/*.md', { cwd: root });
    const listed = SECTIONS.flatMap(({ pages }) => pages.map(([, source]) => source));
    expect(listed.toSorted()).toEqual([...guides, 'README.md'].toSorted());
  });

  it.each(readPages().map((page) => [page.source, page] as const))('%s has a description', (_, { text }) => {
    expect(describePage(text)).toMatch(/^[A-Z@].{30,}[.?!]$/);
  });

  it('of packages have at most 80 lines: the rest is in guides', () => {
    const readmes = readPages().filter(({ source }) => source.startsWith('packages/'));
    const long = readmes.filter(({ text }) => text.trimEnd().split('\n').length > 80);
    expect(long.map(({ source }) => source)).toEqual([]);
  });

  it('link to each other on the site, and to other files in the repository', () => {
    const text = (source: string) => readPages().find((page) => page.source === source)?.text ?? '';
    expect(text('README.md')).toContain('](/recipes)');
    expect(text('README.md')).toContain('](/packages/core)');
    expect(text('README.md')).toContain('](https://github.com/keepsake-memory/keepsake/tree/main/LICENSE)');
    expect(text('docs/five-ways.md')).toContain('](/overview#parts-that-you-can-use-alone)');
    expect(text('packages/claude/README.md')).toContain('](/claude)');
  });
});
