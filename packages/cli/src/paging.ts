import type { Page, PageOptions } from '@keepsake/core';
import type { Output } from './output.ts';
import { dim } from './style.ts';

/** The options of lists. */
export interface PagingOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: boolean;
}

const LARGEST_PAGE = 1_000;

/** The page that was asked for, or all that is left. */
export async function readPages<T>(
  list: (options: PageOptions) => Promise<Page<T>>,
  { limit, cursor, all }: PagingOptions,
): Promise<Page<T>> {
  const start = cursor === undefined ? {} : { cursor };
  if (!all) return list({ limit, ...start });
  const items: T[] = [];
  for await (const page of allPages(list, start)) items.push(...page);
  return { items };
}

/** Page after page. */
export async function* allPages<T>(
  list: (options: PageOptions) => Promise<Page<T>>,
  start: PageOptions = {},
): AsyncGenerator<readonly T[]> {
  let { cursor } = start;
  do {
    const page: Page<T> = await list({ limit: LARGEST_PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** Says how to see the next page. */
export function noteMore(output: Output, { cursor }: Page<unknown>): void {
  if (cursor !== undefined) output.note(dim(`\nThere is more: --cursor ${cursor}, or --all`, process.stderr));
}
