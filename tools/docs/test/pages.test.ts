import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describePage, readPages } from '../src/pages.ts';
import { root } from '../src/repository.ts';
import { SECTIONS } from '../src/sections.ts';
import { slugify } from '../src/slugify.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

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

  it('and the home page link to headings that are there', () => {
    const pages = readPages();
    const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
    const home = { path: '', text: read('tools/docs/home.md') };
    const broken = [...pages, home].flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(\/?([^()\s:]*)#([^()\s]+)\)|^ +link: \/(.+)#(.+)$/gm)]
        .map(([, target = '', anchor = '', link = target, hash = anchor]) => ({ page: link || path, hash }))
        .filter(({ page, hash }) => anchors.get(page)?.has(hash) === false)
        .map(({ page, hash }) => `${path}: ${page}#${hash}`),
    );
    expect(broken).toEqual([]);
  });

  it('and the home page have the same figures', () => {
    const [, features = ''] = /^features:\n(.+?)^---$/ms.exec(read('tools/docs/home.md')) ?? [];
    const figures = [...features.matchAll(/\b\d[\d.,]*(?= %| µs| ms| of its|\.)/g)].map(([figure]) => figure);
    expect(figures.length).toBeGreaterThan(5);
    expect(figures.filter((figure) => !read('docs/comparison.md').includes(figure))).toEqual([]);
  });

  it('have no images from other hosts', () => {
    const pages = readPages().filter(({ text }) => /!\[[^\]]*\]\(https?:/.test(text));
    expect(pages.map(({ source }) => source)).toEqual([]);
  });

  it('of "Getting started" has a tab for each framework of its table', () => {
    const { text = '' } = readPages().find(({ path }) => path === 'getting-started') ?? {};
    const [, tabs = ''] = /<SectionTabs>(.*)<\/SectionTabs>/s.exec(text) ?? [];
    const titles = [...tabs.matchAll(/<section>\n\n### (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual([...text.matchAll(/^\| .*\| \[(.+?)\]\(#.+\) \|$/gm)].map(([, title]) => title));
    expect(titles.length).toBeGreaterThan(4);
    expect(text.split('</SectionTabs>')[1]).toMatch(/^\n\n## A chat server$/m);
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

function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(Array.from(headings, ([, heading = '']) => slugify(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))));
}
