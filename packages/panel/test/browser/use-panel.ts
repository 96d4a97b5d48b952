import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenedBrowser, openBrowser, type Page } from '@keepsake/browser';
import type { RecordStore } from '@keepsake/core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { servePanel } from '../../src/index.ts';
import { builtApp } from './built-app.ts';
import { fillSampleMemory, sampleConfig } from './sample-memory.ts';

interface OpenOptions {
  readonly readOnly?: boolean;
  /** Leaves the memory of the travel desk out. */
  readonly empty?: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** The address within the page, such as `#/ask`. */
  readonly at?: string;
  /** Writes more before the page opens. */
  readonly fill?: (store: RecordStore) => Promise<unknown>;
  /** A text of the memory whose line on the disk gets a wrong character. */
  readonly damage?: string;
}

/** A panel on files of its own, open in the browser. */
export interface PanelPage {
  readonly page: Page;
  readonly directory: string;
  readonly store: RecordStore;
  /** What the page complained of. A test fails if there is anything at its end. */
  readonly complaints: string[];
  /** Goes to another address within the page. */
  go(hash: string): Promise<void>;
}

/** Starts one browser for the tests of a file. Each test opens panels on memory of its own. */
export function usePanel(): { open(options?: OpenOptions): Promise<PanelPage> } {
  const sample = mkdtempSync(join(tmpdir(), 'keepsake-'));
  let browser: OpenedBrowser;
  beforeAll(async () => {
    builtApp();
    await fillSampleMemory(sample);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(sample, { recursive: true, force: true, maxRetries: 20 });
  });
  return { open: (options = {}) => openPanel(browser, sample, options) };
}

async function openPanel(browser: OpenedBrowser, sample: string, options: OpenOptions): Promise<PanelPage> {
  const { readOnly = false, empty = false, width = 1_440, height = 900, dark = false, at = '', fill, damage } = options;
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
  if (!empty) cpSync(sample, directory, { recursive: true });
  const config = sampleConfig(directory);
  const store = await config.memory();
  await fill?.(store);
  if (damage !== undefined) damageLine(directory, damage);
  const panel = await servePanel(config, { readOnly });
  const { page, context, complaints } = await browser.open({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    acceptDownloads: true,
  });
  page.setDefaultTimeout(10_000);
  onTestFinished(async () => {
    await context.close();
    await panel.close();
    await config.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
    expect(complaints).toEqual([]);
  });
  // The page goes on to its address without the token.
  await page.goto(panel.url);
  await page.waitForURL((url) => !url.search.includes('token'));
  await page.locator('main h1').first().waitFor();
  const go = (hash: string) => page.evaluate((to) => location.assign(to), hash);
  if (at !== '') await go(at);
  return { page, directory, store, complaints, go };
}

function damageLine(directory: string, text: string): void {
  for (const { parentPath, name } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!name.endsWith('.jsonl')) continue;
    const file = join(parentPath, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(text, `#${text.slice(1)}`));
  }
}
