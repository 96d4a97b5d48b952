// @module-tag nightly: builds the site.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathOf, readPages } from '../src/pages.ts';
import { root } from '../src/repository.ts';
import { SECTIONS } from '../src/sections.ts';

const project = join(import.meta.dirname, '..');
const built = (path: string) => readFileSync(join(project, 'dist', path), 'utf8');

describe('the site', () => {
  it('has a page for every guide, every package and every export of core', () => {
    for (const { path } of readPages()) expect(existsSync(join(project, 'dist', `${path}.html`)), path).toBe(true);
    expect(existsSync(join(project, 'dist/api/@keepsake/core/classes/MemoryManager.html'))).toBe(true);
  });

  it('names the modules of the reference as they are imported', () => {
    const names = [...built('api/index.html').matchAll(/<li><a [^>]*>([^<]+)</g)].map(([, name]) => name);
    const published = globSync('packages/!(internal|cli|conformance|keepsake|create-keepsake)', { cwd: root }).map(
      (path) => basename(path),
    );
    expect(names).toEqual(
      expect.arrayContaining(['@keepsake/core/adapter', ...published.map((name) => `@keepsake/${name}`)]),
    );
    expect(built('api/index.html')).not.toContain('/src');
  });

  it('shows on its home page the panel and code', () => {
    expect(built('index.html')).toMatch(/<img[^>]+memories-light/);
    expect(built('index.html')).toContain('MemoryManager');
  });

  it.each(SECTIONS.flatMap(({ pages }) => pages))('has a title and a description on "%s"', (_, source) => {
    const html = built(`${pathOf(source)}.html`);
    expect(/<title>([^<]+)<\/title>/.exec(html)?.[1]).toMatch(/Keepsake$/);
    expect(/<meta name="description" content="([^">]+)">/.exec(html)?.[1]).toMatch(/^.{30,}$/);
  });

  it('has a list of pages for agents', () => {
    expect(built('llms.txt')).toMatch(/^# Keepsake\n\n> Memory for TypeScript agents in the database you already have/);
    expect(built('llms.txt')).toContain(
      '- [Redis](https://keepsake-memory.github.io/keepsake/redis): How @keepsake/redis',
    );
  });
});
