import type { Page, PageOptions } from '@keepsake/core';

/** All items of a list, page by page. */
export async function* allOf<T>(list: (options: PageOptions) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let cursor: string | undefined; ; ) {
    const page = await list({ limit: 1_000, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    if (page.cursor === undefined) return;
    cursor = page.cursor;
  }
}
