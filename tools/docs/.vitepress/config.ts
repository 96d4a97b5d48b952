import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { describePage, pathOf } from '../src/pages.ts';
import { REPOSITORY } from '../src/repository.ts';
import { SECTIONS } from '../src/sections.ts';
import { slugify } from '../src/slugify.ts';
import { emptyHeadersAreCells } from '../src/table-headers.ts';

const pages = join(import.meta.dirname, '../pages');

export default defineConfig({
  title: 'Keepsake',
  description: 'Memory for TypeScript agents in the database you already have.',
  base: '/keepsake/',
  srcDir: 'pages',
  outDir: 'dist',
  cleanUrls: true,
  lastUpdated: false,
  transformPageData(page) {
    const file = join(pages, page.relativePath);
    if (page.description !== '' || !existsSync(file)) return;
    // VitePress does not escape it.
    page.description = describePage(readFileSync(file, 'utf8')).replaceAll('"', '&quot;');
  },
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: emptyHeadersAreCells,
  },
  themeConfig: {
    notFound: { linkLabel: 'Take me home' },
    search: { provider: 'local' },
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: [
      ...SECTIONS.map(({ title, pages }) => ({
        text: title,
        items: pages.map(([text, source]) => ({ text, link: `/${pathOf(source)}` })),
      })),
      { text: 'Reference', items: [{ text: 'API', link: '/api/' }] },
    ],
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
  },
});
