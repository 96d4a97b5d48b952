// @module-tag nightly: drives a browser.

import type { Page } from '@keepsake/browser';
import { expect, it } from 'vitest';
import { usePanel } from './use-panel.ts';

const panel = usePanel();
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    return element.getAttribute('aria-label') ?? element.textContent;
  });

/** Keys are bound after what they belong to was painted. */
const painted = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));

it('Keys alone find a memory, edit it, select others, and delete them', async () => {
  const { page, store } = await panel.open();
  const { keyboard } = page;
  await keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Skip to the content');
  await keyboard.press('/');
  await keyboard.type('peanuts');
  // The list before the search has this memory, too, but not as its first.
  await page.getByText('1 found in').waitFor();
  await page.locator('.rows .line', { hasText: 'peanuts' }).first().waitFor();
  await keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toBe('Memories');
  await keyboard.press('Enter');
  const record = page.getByRole('complementary', { name: 'Memory' });
  await record.getByText('Alice is allergic to peanuts.').first().waitFor();
  await painted(page);
  await keyboard.press('e');
  await record.getByLabel('Text').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
  await keyboard.press('Control+a');
  await keyboard.type('Alice is allergic to nuts.');
  await keyboard.press('Control+Enter');
  await page.locator('.notice').getByText('Saved.').waitFor();
  expect((await store.within(['u', 'alice']).history('alice-fact-1')).at(-1)?.content).toBe(
    'Alice is allergic to nuts.',
  );
  await keyboard.press('Escape');
  await expect.poll(() => record.count()).toBe(0);

  await keyboard.press('g');
  await keyboard.press('u');
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  await expect.poll(() => focused(page)).toBe('Users');
  await keyboard.press('g');
  await keyboard.press('m');
  await page.locator('.rows .line').first().waitFor();
  await page.getByRole('grid').focus();
  await keyboard.press('End');
  await keyboard.press('Home');
  await keyboard.press(' ');
  await keyboard.press('Shift+ArrowDown');
  await keyboard.press('Shift+ArrowDown');
  await page.getByText('3 selected').waitFor();
  const deleteButton = page.getByRole('button', { name: 'Delete…' });
  await deleteButton.focus();
  await keyboard.press('Enter');
  await page.getByRole('dialog').getByText('3 memories').first().waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => focused(page)).toBe('Delete…');
});

it('The tree of namespaces opens, closes and chooses by keys', async () => {
  const { page } = await panel.open();
  const { keyboard } = page;
  await page.getByRole('treeitem', { name: /^All/ }).focus();
  await keyboard.press('End');
  await expect.poll(() => focused(page)).toMatch(/^u\d/);
  await keyboard.press('ArrowRight');
  await page.getByRole('treeitem', { name: /alice/ }).waitFor();
  await keyboard.press('ArrowRight');
  await expect.poll(() => focused(page)).toContain('alice');
  await keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('ns=u%3Aalice');
  await keyboard.press('ArrowLeft');
  await keyboard.press('ArrowLeft');
  await expect.poll(() => page.getByRole('treeitem', { name: /alice/ }).count()).toBe(0);
});

it('A dialog keeps focus inside, and gives it back', async () => {
  const { page } = await panel.open();
  const help = page.getByRole('button', { name: 'Keyboard shortcuts' });
  await help.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
    await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement?.closest('dialog') !== null)).toBe(true);
  }
  await page.getByLabel('Shortcuts of a single key').press(' ');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => focused(page)).toBe('Keyboard shortcuts');
  await page.keyboard.press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

it('What has the focus is visible', async () => {
  const { page } = await panel.open();
  await page.locator('.rows .line').first().waitFor();
  const seen = new Set<string>();
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return undefined;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const { width, height } = element.getBoundingClientRect();
      const name = `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent?.slice(0, 30)}`;
      return { name, visible: outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && height > 0 };
    });
    if (stop === undefined) break;
    expect(stop).toMatchObject({ visible: true });
    seen.add(stop.name);
  }
  expect(seen.size).toBeGreaterThan(10);
});
