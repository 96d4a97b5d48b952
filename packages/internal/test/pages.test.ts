import { expect, it } from 'vitest';
import { allItems, allPages } from '../src/index.ts';

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = [];
  for await (const item of items) array.push(item);
  return array;
}

/** A list of the numbers from 0 to 6 that records the requests. */
function numbers() {
  const requests: object[] = [];
  const list = async (request: { readonly limit: number; readonly cursor?: string }) => {
    requests.push(request);
    const start = Number(request.cursor ?? 0);
    const end = Math.min(start + request.limit, 7);
    const items = Array.from({ length: end - start }, (_, index) => start + index);
    return end < 7 ? { items, cursor: String(end) } : { items };
  };
  return { requests, list };
}

it('reads a list page by page, from the first page or from a cursor', async () => {
  const { requests, list } = numbers();
  expect(await toArray(allPages(list, { limit: 3 }))).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
  expect(requests).toEqual([{ limit: 3 }, { limit: 3, cursor: '3' }, { limit: 3, cursor: '6' }]);
  expect(await toArray(allPages(list, { limit: 3, cursor: '5' }))).toEqual([[5, 6]]);
});

it('reads a page only when its items are needed', async () => {
  const { requests, list } = numbers();
  for await (const item of allItems(list, { limit: 2 })) if (item === 3) break;
  expect(requests).toHaveLength(2);
  expect(await toArray(allItems(list))).toEqual([0, 1, 2, 3, 4, 5, 6]);
});
