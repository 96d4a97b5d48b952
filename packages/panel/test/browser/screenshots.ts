// `npm run screenshots`: takes new pictures for the guide, each view in light and in dark, into docs/images/panel.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '@keepsake/browser';
import { servePanel } from '../../src/index.ts';
import { builtApp } from './built-app.ts';
import { fillSampleMemory, sampleConfig } from './sample-memory.ts';

/** An address of each view, and what is there when it is loaded. */
const VIEWS = {
  memories: ['#/memories?ns=u:alice&id=home-porto&at=u:alice', '.versions li'],
  ask: ['#/ask?ns=u:alice&q=What does Alice drink?', '.hit'],
  sessions: ['#/sessions?id=u:alice:chat-0142', '.timeline li'],
  workspace: ['#/workspace?file=memories/MEMORY.md', '.rests-on'],
  users: ['#/users?id=alice&type=user', '.places li'],
  health: ['#/health', '.plain tbody tr'],
} as const;

const pictures = join(import.meta.dirname, '../../../../docs/images/panel');
const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
builtApp();
await fillSampleMemory(directory);
const config = sampleConfig(directory);
const panel = await servePanel(config, {});
const browser = await openBrowser('bundled');
try {
  mkdirSync(pictures, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, complaints } = await browser.open({ colorScheme, viewport: { width: 1_280, height: 760 } });
    await page.goto(panel.url);
    await page.locator('.rows .line').first().waitFor();
    for (const [view, [address, loaded]] of Object.entries(VIEWS)) {
      await page.evaluate((to) => location.assign(to), address);
      await page.locator(loaded).first().waitFor();
      // The first visit reads the files, and the picture should show what later ones take.
      await page.reload();
      await page.locator(loaded).first().waitFor();
      if (view === 'sessions') await page.locator('.fold summary').first().click();
      await page.screenshot({ path: join(pictures, `${view}-${colorScheme}.png`) });
    }
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
  }
} finally {
  await browser.close();
  await panel.close();
  await config.close();
  rmSync(directory, { recursive: true, force: true });
}
