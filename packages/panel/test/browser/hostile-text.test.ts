// @module-tag nightly: drives a browser.

import { expect, it } from 'vitest';
import { usePanel } from './use-panel.ts';

const panel = usePanel();

const SCRIPT = `<script>globalThis.broken = 1</script><img src=x onerror="globalThis.broken = 2"><style>main{display:none}</style>`;
const BIDI = 'Pay \u202e001\u202c euros to al\u200bice\u{e0068}\u{e0069} 👩\u200d🚀';

it('A stored script, image and style are text in every place that shows them', async () => {
  const { page, go } = await panel.open({
    at: '#/memories?ns=u:mallory&id=a&at=u:mallory',
    fill: (store) =>
      store.within(['u', 'mallory']).putMany([
        {
          id: 'a',
          content: SCRIPT,
          metadata: { [SCRIPT.slice(0, 60)]: SCRIPT },
          turn: { thread: SCRIPT, index: 0, speaker: SCRIPT },
          source: { conversation: SCRIPT },
        },
        { id: 'b', content: SCRIPT, turn: { thread: SCRIPT, index: 1 }, source: { conversation: SCRIPT, run: SCRIPT } },
        { id: SCRIPT, content: 'Its id is a script' },
      ]),
  });
  const record = page.getByRole('complementary', { name: 'Memory' });
  await record.locator('.neighbours li').nth(1).waitFor();
  expect(await record.locator('.record-text').textContent()).toBe(SCRIPT);
  await go('#/ask?ns=u:mallory&q=script');
  await page.locator('.hit').first().waitFor();
  expect(await page.locator('.block pre').textContent()).toContain('globalThis.broken');
  await go(`#/users?id=${encodeURIComponent(SCRIPT)}&type=user`);
  await page.locator('.detail-title').getByText('globalThis').waitFor();
  expect(await page.evaluate(() => (globalThis as { broken?: number }).broken)).toBeUndefined();
  expect(await page.locator('main script, main img, main style').count()).toBe(0);
});

it('Invisible and reordering characters are shown by name, and emoji stay whole', async () => {
  const { page } = await panel.open({
    at: '#/memories?ns=u:mallory&id=a&at=u:mallory',
    fill: (store) => store.within(['u', 'mallory']).put({ id: 'a', content: BIDI }),
  });
  const shown = page.locator('.record-text bdi');
  await shown.waitFor();
  expect(await shown.textContent()).toBe('Pay RLO001PDF euros to alZWSPicehidden: hi 👩\u200d🚀');
  expect(await shown.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('isolate');
});

it('A memory of 1 MB is shown piece by piece, and the page stays responsive', async () => {
  const content = 'x'.repeat(1_000_000);
  const { page, go } = await panel.open({
    at: '#/memories?ns=u:mallory',
    fill: (store) => store.within(['u', 'mallory']).put({ id: 'a', content }),
  });
  await page.locator('.rows .line').first().waitFor();
  await go('#/memories?ns=u:mallory&id=a&at=u:mallory');
  const record = page.getByRole('complementary', { name: 'Memory' });
  await record.getByText('20,000 of 1,000,000 characters').waitFor();
  await record.getByRole('button', { name: 'Show more' }).click();
  await record.getByText('40,000 of 1,000,000 characters').waitFor();
  expect(await page.evaluate(() => document.body.textContent?.length)).toBeLessThan(60_000);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});
