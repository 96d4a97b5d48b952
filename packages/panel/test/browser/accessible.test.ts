// @module-tag nightly: drives a browser.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findViolations, type Page } from '@keepsake/browser';
import { describe, expect, it } from 'vitest';
import { builtApp } from './built-app.ts';
import { usePanel } from './use-panel.ts';

const panel = usePanel();

/** An address of each view, and what is there when it is loaded. */
const VIEWS = [
  ['#/memories', '.rows .line'],
  ['#/memories?ns=u:alice&id=home-porto&at=u:alice&kind=fact', '.versions li'],
  ['#/ask?ns=u:alice&q=What does Alice drink?', '.hit'],
  ['#/sessions?id=u:alice:chat-0142', '.timeline li'],
  ['#/sessions?tab=conversations&kind=agent&session=porto-in-may', '.split-detail .badge'],
  ['#/sessions?tab=runs&status=error', '.row-summary'],
  ['#/sessions?tab=conversations&kind=agent&session=faro-weekend&run=failed', '.split-detail .pairs'],
  ['#/sessions?user=alice&type=user', '.rows-list a'],
  ['#/workspace?file=memories/MEMORY.md', '.rests-on'],
  ['#/users?id=alice&type=user', '.places li'],
  ['#/health', '.plain tbody tr'],
] as const;

describe.each([
  { width: 1_440, height: 900, dark: false },
  { width: 360, height: 740, dark: true },
])('At $width px', (screen) => {
  it('axe finds nothing wrong with any view, and nothing is wider than the page', async () => {
    const { page, go } = await panel.open(screen);
    for (const [address, loaded] of VIEWS) {
      await go(address);
      await page.locator(loaded).first().waitFor();
      expect({ address, violations: await findViolations(page) }).toEqual({ address, violations: [] });
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect({ address, width: widths[0] }).toEqual({ address, width: widths[1] });
    }
    await go('#/memories');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});

it('At 360 px nothing is cut off at the edge, and the tree of namespaces opens', async () => {
  const { page, go } = await panel.open({ width: 360, height: 740 });
  const views = [
    ...VIEWS,
    ['#/memories?ns=u:alice&q=tea', '.list-actions button'],
    ['#/sessions?tab=conversations', '.rows-list a'],
    ['#/users', '.rows-list a'],
  ] as const;
  for (const [address, loaded] of views) {
    await go(address);
    await page.locator(loaded).first().waitFor();
    expect({ address, cutOff: await cutOff(page) }).toEqual({ address, cutOff: [] });
  }
  await go('#/memories?ns=u:alice&id=home-porto&at=u:alice');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Metadata, as JSON').waitFor();
  expect(await cutOff(page)).toEqual([]);
  const [text, head] = await Promise.all(
    ['.editor textarea', '.record-head'].map((name) => page.locator(name).first().boundingBox()),
  );
  expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual((head?.x ?? 0) + (head?.width ?? 0));
  await page.getByRole('button', { name: 'Close the memory' }).click();
  await page.locator('.namespaces-toggle').click();
  await page.getByRole('treeitem', { name: /^All/ }).waitFor();
});

it('At 360 px memories are cards, and the open one covers them', async () => {
  const { page } = await panel.open({ width: 360, height: 740 });
  await page.locator('.cards .rows .line').first().click();
  const record = page.getByRole('complementary', { name: 'Memory' });
  await record.getByRole('button', { name: 'Close the memory' }).waitFor();
  expect(await record.evaluate((element) => element.getBoundingClientRect().width)).toBe(360);
  await record.getByRole('button', { name: 'Close the memory' }).click();
  await expect.poll(() => record.count()).toBe(0);
});

it('At 360 px the cards of one namespace show the kind and the speaker', async () => {
  const { page } = await panel.open({ width: 360, height: 740, at: '#/memories?ns=u:alice&kind=utterance' });
  const card = page.locator('.cards .line', { hasText: 'Is breakfast included?' });
  await card.getByText('utterance').waitFor();
  await card.getByText('user', { exact: true }).waitFor();
  expect(await cutOff(page)).toEqual([]);
});

it('At 3,840 px the page fills the screen', async () => {
  const { page } = await panel.open({ width: 3_840, height: 2_160 });
  await page.locator('.rows .line').first().waitFor();
  const right = await page.getByRole('grid').evaluate((element) => element.getBoundingClientRect().right);
  expect(right).toBe(3_840);
});

it('The switch makes the page dark or light whatever the system says', async () => {
  const { page } = await panel.open();
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  const button = page.getByRole('button', { name: /^Colours/ });
  await button.click();
  await button.click();
  const dark = await paper();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.locator('.rows .line').first().waitFor();
  expect(await paper()).toBe(dark);
});

it('All views are at most 60 kB of JavaScript, with no script or style in the page', () => {
  const app = builtApp();
  expect(gzipSync(readFileSync(join(app, 'app.js'))).length).toBeLessThanOrEqual(60_000);
  const html = readFileSync(join(app, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
});

/** What reaches beyond the right edge, apart from texts that end in an ellipsis there. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const ends = (element: Element | null): boolean => {
      if (element === null) return false;
      const { textOverflow, webkitLineClamp } = getComputedStyle(element);
      return textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || ends(element.parentElement);
    };
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !ends(element))
      .map((element) => `${element.tagName} ${element.className}`);
  });
}
