import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with the accessibility of a page: a line for each element, `[]` if nothing. */
export async function findViolations(page: Page): Promise<string[]> {
  // Not as a script element: the content security policy of the page would refuse it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help} (${target.join(' ')}) ${failureSummary}`),
  );
}
