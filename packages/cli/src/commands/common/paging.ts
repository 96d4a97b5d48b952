import type { Page, PageOptions } from '@keepsake/core';
import { allPages } from '@keepsake/internal';
import type { Output } from '../../output/output.ts';
import { dim } from '../../output/style.ts';

/** The options of commands that print pages of a list. */
export interface PagingOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: boolean;
}

/** Reads one page, or all remaining pages if `all` is set. */
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

/** Prints how to see the next page. */
export function noteMore(output: Output, { cursor }: Page<unknown>): void {
  if (cursor !== undefined) output.note(dim(`\nMore results: --cursor ${cursor}, or --all`, output.stderr));
}
