import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from './find-chromium.ts';
import { installChromium } from './install-chromium.ts';

export type { Page };

/** A browser without a window, which reaches nothing but 127.0.0.1. */
export interface OpenedBrowser extends AsyncDisposable {
  /** Opens a page with its own cookies. Errors and messages of its console, and refused requests, go into `complaints`. */
  open(options?: BrowserContextOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

/** A page, and what it complained of. */
interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[];
}

/**
 * Starts a Chromium.
 *
 * @param fonts - `bundled` shows text in the fonts of the Chromium from npm, so that screenshots are alike everywhere.
 */
export async function openBrowser(fonts: 'bundled' | 'system' = 'system'): Promise<OpenedBrowser> {
  const installed = fonts === 'bundled' ? await installChromium() : undefined;
  const isRoot = process.getuid?.() === 0;
  const browser = await chromium.launch({
    executablePath: installed?.program ?? (await findChromium()),
    // Chromium's sandbox refuses to run as root, as tests do in containers.
    args: [...(isRoot ? ['--no-sandbox'] : []), '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    env: { ...definedOnly(process.env), ...(installed === undefined ? {} : { FONTCONFIG_FILE: installed.fonts }) },
  });
  return {
    open: (options) => openPage(browser, options),
    close: () => browser.close(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  const complaints: string[] = [];
  await context.route(
    (url) => url.hostname !== '127.0.0.1' && url.protocol !== 'data:' && url.protocol !== 'blob:',
    (route) => {
      complaints.push(`request to ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, context, complaints };
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
