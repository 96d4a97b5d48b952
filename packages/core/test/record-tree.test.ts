import { expect, it } from 'vitest';
import { RecordTree } from '../src/adapter/record-tree.ts';
import { type NamespaceRecords, nextNamespaces } from '../src/adapter.ts';
import type { Namespace } from '../src/index.ts';

/** A tree with these namespaces, one record in each, and what its backend has listed. */
function treeOf(paths: readonly Namespace[]): { tree: RecordTree; listed: string[] } {
  const listed: string[] = [];
  const records = {
    async namespaces(list) {
      const infos = await nextNamespaces(paths, list, () => 1);
      listed.push(...infos.map(({ namespace }) => namespace.join(':')));
      return infos;
    },
  } satisfies Partial<NamespaceRecords> as unknown as NamespaceRecords;
  return { tree: new RecordTree([], records, () => records), listed };
}

/** Those of users of some agents, and others beside them. */
function fleet(agents: number, users: number): Namespace[] {
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  return names('agent', agents).flatMap((agent) => [
    ...names('user', users).map((user) => [agent, 'u', user]),
    ...['t', 'u-turn', 'v'].map((other) => [agent, other]),
  ]);
}

async function listAll(tree: RecordTree, limit: number, notBelow: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await tree.namespaces({ limit, cursor, empty: false, notBelow });
    names.push(...page.items.map(({ namespace }) => namespace.join(':')));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return names;
}

it.each([
  [1_000, 3, 10_000],
  [100, 3, 10_000],
  [100, 1, 5],
  [2, 3, 1_000],
])('pages of %i namespaces pass over those of users, with %i agents of %i users', async (limit, agents, users) => {
  const { tree, listed } = treeOf(fleet(agents, users));
  const others = Array.from({ length: agents }, (_, n) => ['t', 'u-turn', 'v'].map((one) => `agent${n}:${one}`)).flat();
  expect(await listAll(tree, limit, ['u', 's'])).toEqual(others);
  // Of each agent, those on a small page that ends among them, or on one of twice or four times that.
  expect(listed.length).toBeLessThan(agents * 300);
});

it.each([100, 1_000])('of many agents, one small page of users each is read for pages of %i', async (limit) => {
  const { tree, listed } = treeOf(fleet(20, 2_000).filter((path) => path.includes('u')));
  expect(await listAll(tree, limit, ['u'])).toEqual([]);
  expect(listed.length).toBeLessThan(20 * 101 + 1);
});

it('a page reads on until it is full, where users of many agents are passed over', async () => {
  const { tree, listed } = treeOf([...fleet(50, 20), ['zoo']]);
  const { items } = await tree.namespaces({ limit: 151, empty: false, notBelow: ['u'] });
  expect(items).toHaveLength(151);
  expect(items.at(-1)?.namespace).toEqual(['zoo']);
  expect(listed.length).toBeLessThan(50 * 23 + 200);
});
