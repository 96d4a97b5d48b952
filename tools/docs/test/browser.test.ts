// @module-tag nightly: builds the site.

import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '@keepsake/browser';
import { beforeAll, expect, it } from 'vitest';
import { REPOSITORY, root } from '../src/repository.ts';
import { fileOf, serveSite } from './support/serve-site.ts';
import { type Visit, visitPages } from './support/visit-page.ts';

/* Every page of the built site, in a real browser. Of the generated reference, axe gets a page of each kind. */

const dist = join(import.meta.dirname, '../dist');
const TABS = 3;

let site: string;
let visits: Map<string, Visit>;

beforeAll(async () => {
  await using server = await serveSite(dist);
  await using browser = await openBrowser();
  site = server.url;
  const paths = globSync('**/*.html', { cwd: dist }).map((file) => pathOf(join(dist, file)));
  const kinds = new Map(paths.map((path) => [kindOf(path), path]));
  const pages = paths.map((path) => ({ path, examine: kinds.get(kindOf(path)) === path }));
  const found = await Promise.all(Array.from({ length: TABS }, () => visitPages(browser, site, pages)));
  visits = new Map(found.flat().map((visit) => [visit.path, visit]));
}, 1_800_000);

it('no page has an error in its console, or a request that fails', () => {
  expect(faults(({ complaints }) => complaints)).toEqual({});
});

it('no link within the site or into the repository is broken', () => {
  expect(faults(({ links }) => links.filter(isBroken))).toEqual({});
});

it('every page can be read at 360 px: it is no wider, and tables and code scroll within themselves', () => {
  expect(faults(({ tooWide }) => tooWide)).toEqual({});
});

it('axe finds nothing wrong with any page, in light and in dark', () => {
  expect(faults(({ violations }) => violations)).toEqual({});
});

it('Getting started shows one framework at a time: the one that is chosen, or that a link leads to', async () => {
  await using server = await serveSite(dist);
  await using browser = await openBrowser();
  const { page } = await browser.open();
  const shown = () => page.locator('.section-tabs section:visible h3').evaluateAll((all) => all.map(({ id }) => id));
  await page.goto(`${server.url}getting-started`);
  await expect.poll(shown).toEqual(['any-model']);
  await page.getByRole('navigation', { name: 'Frameworks' }).getByRole('link', { name: 'LangGraph' }).click();
  await expect.poll(shown).toEqual(['langgraph']);
  await page.goBack();
  await page.getByRole('table').getByRole('link', { name: 'Strands' }).click();
  await expect.poll(shown).toEqual(['strands']);
  await page.goto(server.url);
  await page.getByRole('link', { name: 'OpenAI Agents' }).click();
  await expect.poll(shown).toEqual(['openai-agents']);
  await page.reload();
  await expect.poll(shown).toEqual(['openai-agents']);
  const top = () => page.locator('#openai-agents').evaluate((heading) => heading.getBoundingClientRect().top);
  await expect.poll(async () => Math.abs((await top()) - 134)).toBeLessThan(40);
});

/** Pages of the reference are made by one template for each kind. Every other page is of a kind of its own. */
function kindOf(path: string): string {
  return /^api\/.*\/(\w[\w-]*)\/\w+$/.exec(path)?.[1] ?? path;
}

/** The path of a page by its file. */
function pathOf(file: string): string {
  return file
    .slice(dist.length + 1)
    .replaceAll('\\', '/')
    .replace(/(?:(?<=^|\/)index)?\.html$/, '');
}

function isBroken(link: string): boolean {
  const { href, hash } = new URL(link);
  const address = href.slice(0, href.length - hash.length);
  const [, inRepository] = address.split(new RegExp(`^${REPOSITORY}/(?:blob|tree)/main/`));
  if (inRepository !== undefined) return !existsSync(join(root, inRepository));
  if (!address.startsWith(site)) return false;
  const file = fileOf(dist, address);
  if (file === undefined) return true;
  return hash.length > 1 && visits.get(pathOf(file))?.anchors.has(decodeURIComponent(hash.slice(1))) !== true;
}

/** What is wrong, by page, without the pages with which nothing is. */
function faults(find: (visit: Visit) => readonly string[]): Record<string, readonly string[]> {
  const found = [...visits].map(([path, visit]) => [path, find(visit)] as const);
  return Object.fromEntries(found.filter(([, each]) => each.length > 0));
}
