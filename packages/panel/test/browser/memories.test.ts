// @module-tag nightly: drives a browser.

import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from '@keepsake/browser';
import { startProgram } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { usePanel } from './use-panel.ts';

const panel = usePanel();
const ALICE = '#/memories?ns=u:alice';
const rows = (page: Page) => page.locator('.rows .line');
const record = (page: Page) => page.getByRole('complementary', { name: 'Memory' });
const notice = (page: Page) => page.locator('.notice');

describe('Memories', () => {
  it('shows the namespaces with counts, and the memories of the one that is chosen', async () => {
    const { page } = await panel.open();
    const tree = page.getByRole('tree');
    await tree.getByRole('treeitem', { name: /^u\b/ }).locator('.twig').click();
    await tree.getByRole('treeitem', { name: /bob/ }).click();
    await page.getByText('10 memories').waitFor();
    await rows(page).getByText('Bob is vegetarian.').waitFor();
    expect(await rows(page).getByText('Alice').count()).toBe(0);
    expect(page.url()).toContain('ns=u%3Abob');
    expect(page.url()).not.toContain('token');
  });

  it('searches while somebody types, and filters by kind, speaker and day', async () => {
    const { page } = await panel.open({ at: ALICE });
    await page.getByRole('searchbox', { name: 'Search memories' }).fill('green tea');
    await page.getByText(/^\d found in/).waitFor();
    await rows(page).getByText('Alice drinks green tea').waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Kind').selectOption('utterance');
    await expect.poll(() => rows(page).getByText('Alice drinks green tea').count()).toBe(0);
    await rows(page).getByText('They offer green tea').waitFor();
    await page.getByRole('searchbox', { name: 'Search memories' }).fill('');
    await expect.poll(() => rows(page).count()).toBe(6);
    await page.getByLabel('Speaker').fill('assistant');
    await page.getByLabel('Speaker').press('Enter');
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.getByLabel('From').fill('2027-01-01');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('link', { name: 'Show all memories here' }).click();
    await expect.poll(() => rows(page).count()).toBe(15);
  });

  it('shows where a memory comes from, its neighbours and its versions, and restores one', async () => {
    const { page, go } = await panel.open({ at: `${ALICE}&id=alice-turn-3&at=u:alice` });
    await record(page).getByRole('link', { name: 'trip-to-porto-alice' }).waitFor();
    await expect.poll(() => record(page).locator('.neighbours li').count()).toBe(6);
    const places = await record(page).locator('.neighbours .figures').allTextContents();
    expect(places).toEqual(['−3', '−2', '−1', '', '+1', '+2']);
    await record(page).getByRole('link', { name: 'Is breakfast included?' }).click();
    await record(page).getByText('alice-turn-4').waitFor();
    await go(`${ALICE}&id=home-berlin&at=u:alice`);
    await record(page).getByRole('link', { name: 'Show what superseded it' }).click();
    await expect.poll(() => record(page).locator('.record-text').textContent()).toBe('Alice lives in Porto.');
    await record(page).locator('.versions').getByText('Alice lives in Berlin.').waitFor();
    await record(page).getByRole('button', { name: 'Restore' }).click();
    await notice(page).getByText('holds again').waitFor();
    await expect.poll(() => record(page).locator('.record-text').textContent()).toBe('Alice lives in Berlin.');
    await expect.poll(() => record(page).locator('.versions li').count()).toBe(3);
  });

  it.each([360, 1280])(
    'cuts no name and lets no texts overlap at %i px, with a search and a memory open',
    async (width) => {
      const { page } = await panel.open({ at: `${ALICE}&q=Porto&id=alice-turn-3&at=u:alice`, width });
      await record(page).locator('.neighbours li').first().waitFor();
      const overlaps = await record(page).evaluate((pane) =>
        [...pane.querySelectorAll('.neighbours li')].some((line) => {
          const [place, speaker] = [...line.children].map((part) => part.getBoundingClientRect());
          return place !== undefined && speaker !== undefined && place.right > speaker.left;
        }),
      );
      expect(overlaps).toBe(false);
      const isCut = await page.locator('.list-title').evaluate((title) => title.scrollWidth > title.clientWidth);
      expect(isCut).toBe(false);
    },
  );

  it('says what was done where it was done, and not in other views', async () => {
    const { page, go } = await panel.open({ at: `${ALICE}&id=alice-fact-1&at=u:alice` });
    await record(page).getByRole('button', { name: 'Edit' }).click();
    await record(page).getByLabel('Text').fill('Alice is allergic to peanuts and cashews.');
    await record(page).getByRole('button', { name: 'Save' }).click();
    await notice(page).getByText('Saved.').waitFor();
    await go('#/users');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await expect.poll(() => notice(page).count()).toBe(0);
  });

  it('edits a memory, keeps the version before, and undoes it', async () => {
    const { page, store } = await panel.open({ at: `${ALICE}&id=alice-fact-1&at=u:alice` });
    await record(page).getByRole('button', { name: 'Edit' }).click();
    await record(page).getByLabel('Text').fill('Alice is allergic to peanuts and cashews.');
    await record(page).getByLabel('Metadata').fill('{"topic": "health"}');
    await record(page).getByRole('button', { name: 'Save' }).click();
    await notice(page).getByText('Saved.').waitFor();
    const alice = store.within(['u', 'alice']);
    const [old, edited] = await alice.history('alice-fact-1');
    expect(old).toMatchObject({ content: 'Alice is allergic to peanuts.', metadata: { topic: 'food' } });
    expect(edited).toMatchObject({
      content: 'Alice is allergic to peanuts and cashews.',
      metadata: { topic: 'health' },
    });
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await notice(page).getByText('holds again').waitFor();
    expect((await alice.history('alice-fact-1')).at(-1)).toMatchObject({ content: 'Alice is allergic to peanuts.' });
    await rows(page).getByText('Alice is allergic to peanuts.').waitFor();
  });

  it('refuses metadata that is no JSON object, and changes nothing when somebody else was faster', async () => {
    const { page, store, complaints } = await panel.open({ at: `${ALICE}&id=alice-fact-1&at=u:alice` });
    await record(page).getByRole('button', { name: 'Edit' }).click();
    await record(page).getByLabel('Metadata').fill('[1]');
    await record(page).getByRole('button', { name: 'Save' }).click();
    await record(page).getByRole('alert').getByText('must be a JSON object').waitFor();
    await record(page).getByLabel('Metadata').fill('{}');
    await store.within(['u', 'alice']).put({ id: 'alice-fact-1', content: 'Written meanwhile' });
    await record(page).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => complaints).toEqual([expect.stringContaining('409')]);
    complaints.length = 0;
    expect(await store.within(['u', 'alice']).get('alice-fact-1')).toMatchObject({ content: 'Written meanwhile' });
  });

  it('buries a memory, which search no longer finds, and digs it up', async () => {
    const { page, store } = await panel.open({ at: `${ALICE}&id=alice-fact-1&at=u:alice` });
    const alice = store.within(['u', 'alice']);
    await record(page).getByRole('button', { name: 'Bury' }).click();
    await record(page).getByText('no agent recalls it').waitFor();
    expect(await alice.search('peanuts')).toEqual([]);
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await record(page).getByRole('button', { name: 'Bury' }).waitFor();
    await notice(page).getByText('recall it again').waitFor();
    expect(await alice.search('peanuts')).toHaveLength(1);
  });

  it('deletes a memory after it asked', async () => {
    const { page, store } = await panel.open({ at: `${ALICE}&id=alice-fact-1&at=u:alice` });
    await record(page).getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await notice(page).getByText('Deleted.').waitFor();
    expect(await store.within(['u', 'alice']).get('alice-fact-1')).toBeUndefined();
    await expect.poll(() => rows(page).count()).toBe(14);
  });

  it('deletes what is selected, and exactly what the preview showed of what matches', async () => {
    const { page, store } = await panel.open({ at: `${ALICE}&kind=utterance` });
    await expect.poll(() => rows(page).count()).toBe(6);
    await rows(page).nth(0).getByRole('checkbox').click();
    await rows(page)
      .nth(1)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.locator('.sample li').count()).toBe(2);
    await dialog.getByRole('button', { name: 'Delete 2 memories' }).click();
    await dialog.getByText('Deleted 2 memories.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect.poll(() => rows(page).count()).toBe(4);
    await page.getByRole('button', { name: 'Delete all that match…' }).click();
    await dialog.getByText('4 memories').first().waitFor();
    // Another one that matches, after the preview.
    const alice = store.within(['u', 'alice']);
    await alice.put({ id: 'later', content: 'Said later', source: { kind: 'utterance' } });
    await dialog.getByRole('button', { name: 'Delete 4 memories' }).click();
    await dialog.getByText('Deleted 4 memories.').waitFor();
    expect(await alice.get('later')).toBeDefined();
    expect((await alice.list({ limit: 100 })).items).toHaveLength(10);
  });

  it('shows what another process writes, without a reload', async () => {
    const { page, directory } = await panel.open({ at: ALICE });
    await expect.poll(() => rows(page).count()).toBe(15);
    await inAnotherProcess(directory, 'put', 'Alice has a new bicycle.');
    await rows(page).getByText('Alice has a new bicycle.').waitFor();
    await page.getByText('17 memories').waitFor();
  });

  it('shows what another process edits and deletes, in the table and in the open memory', async () => {
    const { page, directory, complaints } = await panel.open({ at: '#/memories?id=alice-fact-1&at=u:alice' });
    await record(page).locator('.record-text').getByText('Alice is allergic to peanuts.').waitFor();
    await inAnotherProcess(directory, 'put', 'Alice is allergic to hazelnuts.', 'alice-fact-1');
    await rows(page).getByText('Alice is allergic to hazelnuts.').waitFor();
    await record(page).locator('.record-text').getByText('Alice is allergic to hazelnuts.').waitFor();
    await inAnotherProcess(directory, 'delete', 'alice-fact-1');
    await expect.poll(() => rows(page).getByText('Alice is allergic to hazelnuts.').count()).toBe(0);
    await record(page).getByText('This memory does not exist').waitFor();
    // The panel looks at what is open every 2 seconds.
    expect(complaints.length).toBeGreaterThan(0);
    for (const complaint of complaints.splice(0)) expect(complaint).toContain('404');
  });

  it('leaves a text that somebody is typing alone when another process edits the memory', async () => {
    const { page, directory } = await panel.open({ at: `${ALICE}&id=alice-fact-1&at=u:alice` });
    await record(page).getByRole('button', { name: 'Edit' }).click();
    await record(page).getByLabel('Text').fill('Half a sentence');
    await inAnotherProcess(directory, 'put', 'Alice is allergic to hazelnuts.', 'alice-fact-1');
    await rows(page).getByText('Alice is allergic to hazelnuts.').waitFor();
    expect(await record(page).getByLabel('Text').inputValue()).toBe('Half a sentence');
    await record(page).getByRole('button', { name: 'Cancel' }).click();
    await record(page).locator('.record-text').getByText('Alice is allergic to hazelnuts.').waitFor();
  });
});

async function inAnotherProcess(directory: string, ...change: readonly string[]): Promise<void> {
  const other = startProgram(join(import.meta.dirname, 'children/change.ts'), [directory, ...change]);
  expect(await text(other.stdout)).toBe('done\n');
}
