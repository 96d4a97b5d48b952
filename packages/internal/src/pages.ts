interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

type List<Item> = (
  request: PageRequest,
) => Promise<{ readonly items: readonly Item[]; readonly cursor?: string | undefined }>;

/** The items of each page of a list, from `cursor` on, read one page at a time. */
export async function* allPages<Item>(
  list: List<Item>,
  { limit = 1_000, cursor }: Partial<PageRequest> = {},
): AsyncGenerator<readonly Item[]> {
  for (let next = cursor; ; ) {
    const page = await list({ limit, ...(next !== undefined && { cursor: next }) });
    yield page.items;
    if (page.cursor === undefined) return;
    next = page.cursor;
  }
}

/** The items of a list, page by page; see {@link allPages}. */
export async function* allItems<Item>(list: List<Item>, start?: Partial<PageRequest>): AsyncGenerator<Item> {
  for await (const page of allPages(list, start)) yield* page;
}
