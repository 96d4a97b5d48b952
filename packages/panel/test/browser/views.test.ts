// @module-tag nightly: drives a browser.

import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usePanel } from './use-panel.ts';

const panel = usePanel();

it('Ask shows what is recalled, how each score comes about, and the block with its tokens', async () => {
  const { page } = await panel.open({ at: '#/ask?ns=u:alice' });
  await page.getByRole('searchbox', { name: 'Question' }).fill('What does Alice drink?');
  await page.getByRole('button', { name: 'Ask' }).click();
  const first = page.locator('.hit').first();
  await first.getByText('Alice drinks green tea').waitFor();
  const numbers = (await first.locator('.explanation td.figures').allTextContents()).map((value) => value.trim());
  const factors = numbers.filter((value) => value.startsWith('×')).map((value) => Number(value.slice(1)));
  const terms = numbers.filter((value) => !value.startsWith('×')).map(Number);
  const score = terms.pop() ?? 0;
  const total = terms.reduce((sum, term) => sum + term, 0) * factors.reduce((product, factor) => product * factor, 1);
  expect(score).toBeGreaterThan(0);
  expect(total).toBeCloseTo(score, 2);
  await expect.poll(() => page.locator('.block pre').textContent()).toContain('Alice drinks green tea without sugar');
  await expect.poll(() => page.locator('.block h2').textContent()).toMatch(/[1-9]\d* tokens/);
  expect(page.url()).toContain('q=What+does+Alice+drink');
});

it('Sessions shows what was said, with the calls of tools folded', async () => {
  const { page } = await panel.open({ at: '#/sessions' });
  await page.getByRole('link', { name: /alice:chat-0142/ }).click();
  await page.getByText('Take the first, by the window.').waitFor();
  const call = page.locator('.fold').first();
  expect(await call.getByText('17:47').isVisible()).toBe(false);
  await call.locator('summary').click();
  await call.getByText('"leaves":"17:47"').waitFor();
});

it('Sessions shows conversations with summary and runs, and what waits', async () => {
  const { page } = await panel.open({ at: '#/sessions?tab=conversations' });
  await page.getByRole('link', { name: /porto-in-may/ }).click();
  await page.locator('.split-detail').getByText('wants a quiet room near the river').waitFor();
  await page.locator('.split-detail .status-completed').waitFor();
  await page.getByRole('link', { name: 'Unfinished runs' }).click();
  await page.getByRole('link', { name: /waiting/ }).click();
  await page.locator('.split-detail').getByText('It costs 412 €. Shall I book it?').waitFor();
  await page.locator('.banner').getByText('Waits for Alice').waitFor();
});

it('Sessions lists the unfinished runs of one status, and shows whose a run is', async () => {
  const { page } = await panel.open({ at: '#/sessions?tab=runs' });
  const runs = page.locator('.split-list .rows-list li');
  await expect.poll(() => runs.count()).toBe(2);
  await page.getByLabel('Status').selectOption('failed');
  await runs.getByText('The trains could not be found').waitFor();
  await expect.poll(() => runs.count()).toBe(1);
  await page.getByLabel('Status').selectOption('cancelled');
  await page.getByText('No run has this status').waitFor();
  await page.getByLabel('Status').selectOption('waiting');
  await runs.getByText('Waits for Alice').waitFor();
  await runs.getByRole('link').click();
  const run = page.locator('.split-detail');
  await run.getByText('Another process can resume this run.').waitFor();
  await run.getByText('concierge').waitFor();
  await run.getByRole('link', { name: 'alice' }).click();
  await page.getByRole('link', { name: 'Sessions of this user' }).waitFor();
});

it('Workspace shows what the next run reads, the files, and what each bullet rests on', async () => {
  const { page } = await panel.open({ at: '#/workspace' });
  await page.locator('.split-detail').getByText('Refunds take five working days.').waitFor();
  await page.getByRole('link', { name: /MEMORY\.md/ }).click();
  const bullet = page.locator('.block-line', { hasText: 'Ask for the booking number' });
  await expect.poll(() => bullet.locator('.rests-on a').allTextContents()).toEqual(['refund-policy', 'late-checkout']);
  await bullet.getByRole('link', { name: 'late-checkout' }).click();
  await page.locator('.split-detail .badge').waitFor();
});

it('Users exports everything of a user, and erases it with a dry run and a receipt', async () => {
  const { page, store } = await panel.open({ at: '#/users' });
  await page.getByRole('searchbox').fill('ali');
  await page.getByRole('link', { name: /^alice/ }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain('Alice is allergic to peanuts.');
  await page.getByRole('button', { name: 'Erase…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.counts').getByText('16').waitFor();
  const erase = dialog.getByRole('button', { name: 'Erase for good' });
  expect(await erase.isDisabled()).toBe(true);
  expect((await store.within(['u', 'alice']).list({ limit: 1 })).items).toHaveLength(1);
  await dialog.getByLabel('Type the id').fill('alice');
  await erase.click();
  await dialog.getByText('A full pass found nothing left').waitFor();
  const receipt = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save the receipt' }).click();
  expect(JSON.parse(await readFile(await (await receipt).path(), 'utf8'))).toBeTypeOf('object');
  expect((await store.within(['u', 'alice']).list({ limit: 1, history: true })).items).toEqual([]);
  expect((await store.within(['u', 'bob']).list({ limit: 1 })).items).toHaveLength(1);
});

it('Users leads to the sessions of a user alone', async () => {
  const { page } = await panel.open({ at: '#/users?id=alice&type=user' });
  await page.getByRole('link', { name: 'Sessions of this user' }).click();
  const sessions = page.locator('.split-list .rows-list li');
  await sessions.getByText('u:alice:chat-0142').waitFor();
  expect(await sessions.count()).toBe(1);
  await page.getByRole('link', { name: 'Show all' }).click();
  await expect.poll(() => sessions.count()).toBe(4);
});

it('Workspace shows a long file piece by piece, with the rollouts of its last bullet', async () => {
  const { page, directory } = await panel.open();
  const lines = Array.from(
    { length: 900 },
    (_, number) => `- Lesson ${number} of the travel desk [rollouts: run-${number}]`,
  );
  writeFileSync(join(directory, 'workspace/memories/long.md'), lines.join('\n'));
  await page.goto(`${page.url().split('#')[0]}#/workspace?file=memories/long.md`);
  await page.getByText('Lesson 0 of').waitFor();
  for (let pieces = 1; (await page.getByText('Lesson 899 of').count()) === 0; pieces++) {
    const blocks = page.locator('.blocks');
    await expect.poll(() => blocks.count()).toBe(pieces);
    await page.getByRole('button', { name: 'More of this file' }).click();
    await expect.poll(() => blocks.count()).toBe(pieces + 1);
  }
  await page.getByRole('link', { name: 'run-899' }).waitFor();
  expect(await page.getByRole('button', { name: 'More of this file' }).count()).toBe(0);
});

it('Health lists damage with the command that repairs it, and dead letters with their namespace', async () => {
  const { page } = await panel.open({
    fill: async (store) => {
      await store.within(['u', 'bob', 'keepsake-outbox', 'dead-letters']).put({
        content: '.message',
        index: false,
        metadata: {
          ...{ part: 0, storeName: 'facts', thread: 't1', at: '2026-05-01T00:00:00.000Z' },
          ...{ failedAt: '2026-05-02T00:00:00.000Z', error: { code: 'TIMEOUT', message: 'The model took too long' } },
        },
      });
    },
    damage: 'Bob is vegetarian.',
    at: '#/health',
  });
  await page.getByText(/Line \d+ of the log is damaged/).waitFor();
  await page.getByText('keepsake doctor --repair').waitFor();
  await page.getByText('The model took too long').waitFor();
  await page.getByRole('link', { name: 'u:bob:keepsake-outbox:dead-letters' }).click();
  await page.getByRole('grid', { name: 'Memories' }).getByText('.message').waitFor();
});

it('Health shows that each part answers, and how much there is', async () => {
  const { page } = await panel.open({ at: '#/health' });
  await page.getByRole('row', { name: /Memory store working/ }).waitFor();
  await expect.poll(() => page.locator('.counts').first().textContent()).toContain('Memories49');
  await page.getByText('Empty: all turns are saved.').waitFor();
});

it('A panel without memory says in each view what to do', async () => {
  const { page, go } = await panel.open({ empty: true });
  await page.getByText('There are no memories yet').waitFor();
  await go('#/sessions');
  await page.getByText('There are no sessions yet').waitFor();
  await go('#/users');
  await page.getByText('No user has memory yet').waitFor();
  await go('#/ask');
  await page.getByText('Ask something that an agent should know').waitFor();
  await go('#/workspace');
  await page.getByText('There are no files yet').waitFor();
});

it('A read-only panel has no controls that change anything', async () => {
  const { page, go } = await panel.open({
    readOnly: true,
    at: '#/memories?ns=u:alice&id=alice-fact-1&at=u:alice&kind=fact',
  });
  await page.getByText('Read-only').waitFor();
  await page.getByRole('complementary', { name: 'Memory' }).getByText('Alice is allergic').waitFor();
  const changing = page.getByRole('button', { name: /Edit|Bury|Delete|Restore|Erase/ });
  expect(await changing.count()).toBe(0);
  expect(await page.locator('.rows input').count()).toBe(0);
  await page.keyboard.press('e');
  await page.keyboard.press('Delete');
  expect(await page.locator('dialog, .editor').count()).toBe(0);
  await go('#/users?id=alice&type=user');
  await page.getByRole('link', { name: 'Export' }).waitFor();
  expect(await changing.count()).toBe(0);
});

it('A panel that stopped says so, and goes on when it is there again', async () => {
  const { page, go, complaints } = await panel.open();
  await page.context().setOffline(true);
  await go('#/users');
  await page.getByText('No connection to the panel').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: /^alice/ }).waitFor();
  // What Chromium itself says of failed requests.
  complaints.splice(0, complaints.length, ...complaints.filter((line) => !line.includes('ERR_INTERNET_DISCONNECTED')));
});
