import { findViolations, type OpenedBrowser, type Page } from '@keepsake/browser';

/** What a browser finds on a page. */
export interface Visit {
  /** Of the page, below the site, without an extension. */
  readonly path: string;
  /** Errors and warnings of the console, failed requests, and requests to other hosts. */
  readonly complaints: readonly string[];
  /** What axe finds, if it examines the page: when it is wide and light, and when it is narrow and dark. */
  readonly violations: readonly string[];
  /** What is wider than a narrow page, unless it scrolls within itself. */
  readonly tooWide: readonly string[];
  /** The addresses of its links. */
  readonly links: readonly string[];
  /** What links can lead to. */
  readonly anchors: ReadonlySet<string>;
}

/** A page to visit. */
interface PageToVisit {
  readonly path: string;
  /** Whether axe looks at it, which takes longest. */
  readonly examine: boolean;
}

const WIDE = { width: 1_280, height: 800 };
const NARROW = { width: 360, height: 740 };

/** Visits pages of a site, one after the other, in one tab. Takes them from the front of the list, which tabs can share. */
export async function visitPages(browser: OpenedBrowser, site: string, pages: PageToVisit[]): Promise<Visit[]> {
  const { page, context, complaints } = await browser.open({ viewport: NARROW, colorScheme: 'dark' });
  page.on('response', (response) => {
    if (!response.ok()) complaints.push(`${response.status()} for ${response.url()}`);
  });
  const visits: Visit[] = [];
  for (let next = pages.shift(); next !== undefined; next = pages.shift()) {
    const { path, examine } = next;
    complaints.length = 0;
    const violations: string[] = [];
    if (examine) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(WIDE);
    }
    await page.goto(`${site}${path}`);
    await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
    if (examine) {
      violations.push(...(await findViolations(page)).map((found) => `light: ${found}`));
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize(NARROW);
      await page.locator('html.dark').waitFor({ state: 'attached' });
      violations.push(...(await findViolations(page)).map((found) => `dark: ${found}`));
    }
    const found = { tooWide: await tooWide(page), ...(await linksAndAnchors(page)) };
    visits.push({ path, violations, ...found, complaints: [...complaints] });
  }
  await context.close();
  return visits;
}

async function linksAndAnchors(page: Page): Promise<Pick<Visit, 'links' | 'anchors'>> {
  const [links, anchors] = await page.evaluate(() => [
    [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ href }) => href),
    [...document.querySelectorAll('[id]')].map(({ id }) => id),
  ]);
  return { links: [...new Set(links)], anchors: new Set(anchors) };
}

function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element !== document.body &&
      (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const found = [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement))
      .map((element) => `<${element.localName} class="${element.getAttribute('class')}">`);
    const { scrollWidth } = document.documentElement;
    return scrollWidth > innerWidth ? [...found, `the page, which is ${scrollWidth} px wide`] : found;
  });
}
