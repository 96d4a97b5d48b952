import { DatabaseSync } from 'node:sqlite';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { SEED } from '@keepsake/testing/torture/seed';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SqliteSessionStore, SqliteStore } from '../../src/index.ts';

const PAIRS = rounds(10_000);

const segment = fc.stringMatching(/^[:;*?[\]\\%_./ aA]{1,4}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 3 });
const twins = fc.constantFrom(
  ...[['A'], ['a'], ['é'], ['e\u0301'], ['ab'], ['a', 'b'], ['a:b'], ['a%3Ab'], ['a;'], ['a', ':'], ['\u{10ffff}']],
);

/** Enough different paths for this number of pairs. */
function paths(pairs: number): string[][] {
  const found = new Map<string, string[]>();
  for (let run = 0; (found.size * (found.size - 1)) / 2 < pairs; run++) {
    for (const one of fc.sample(fc.oneof(path, twins), { numRuns: 50, seed: SEED + run })) {
      found.set(JSON.stringify(one), one);
    }
  }
  return [...found.values()];
}

const startsWith = (path: readonly string[], start: readonly string[]) =>
  start.every((segment, index) => segment === path[index]);

it(`what one namespace or session has, no other reads, finds, counts or deletes: ${count(PAIRS)} generated pairs`, async (context) => {
  const database = new DatabaseSync(':memory:');
  const namespaces = paths(PAIRS);
  const pairs = (namespaces.length * (namespaces.length - 1)) / 2;
  expect(pairs).toBeGreaterThanOrEqual(PAIRS);
  const root = new SqliteStore({ database, name: 'memory' });
  const sessions = new SqliteSessionStore({ database });
  // Every other one steps down from the root, the others are opened directly.
  const stores = namespaces.map((namespace, n) =>
    n % 2 === 0 ? root.within(namespace) : new SqliteStore({ database, name: 'memory', namespace }),
  );
  for (const [n, store] of stores.entries()) {
    await store.putMany([
      { id: 'same', content: `heron ${n}`, metadata: { of: 'all' } },
      { id: `own ${n}`, content: `heron ${n}` },
    ]);
    await sessions.open(JSON.stringify(namespaces[n])).addItems([{ n }]);
  }
  // All others at once: each crossing would add a result.
  for (const [n, store] of stores.entries()) {
    const contents = [`heron ${n}`, `heron ${n}`];
    const what = JSON.stringify(namespaces[n]);
    const below = namespaces.filter((one, other) => other !== n && startsWith(one, namespaces[n] as string[]));
    const listed = await store.list({ limit: 1_000 });
    expect(
      listed.items.map(({ content }) => content),
      what,
    ).toEqual(contents);
    const filtered = await store.list({ limit: 1_000, filter: { of: 'all' } });
    expect(
      filtered.items.map(({ content }) => content),
      what,
    ).toEqual([`heron ${n}`]);
    const found = await store.search('heron', { maxSearchResults: 1_000 });
    expect(
      found.map(({ content }) => content),
      what,
    ).toEqual(contents);
    const within = await store.search('heron', { maxSearchResults: 1_000, descendants: true });
    expect(within, what).toHaveLength(2 * (below.length + 1));
    expect((await store.namespaces({ limit: 1_000 })).items, what).toHaveLength(below.length);
    for (const other of stores.keys()) {
      if (other !== n) expect(await store.get(`own ${other}`), what).toBeUndefined();
    }
    expect(await store.delete(`own ${(n + 1) % stores.length}`)).toBe(false);
    expect(await sessions.open(what).getItems()).toEqual([{ n }]);
  }
  // Each that goes takes its own records with it, and no others.
  for (const [n, store] of stores.entries()) {
    expect(await store.clear()).toBe(2);
    expect(await sessions.delete(JSON.stringify(namespaces[n]))).toBe(true);
    const left = await root.namespaces({ limit: 1_000 });
    expect(left.items).toHaveLength(stores.length - n - 1);
    expect(left.items.every(({ recordCount }) => recordCount === 2)).toBe(true);
  }
  show(
    context,
    23,
    `in SQLite: ${count(pairs)} generated pairs of namespaces that look alike (: ; * ? [ ] \\ % _ . /): 0 crossings in reads by id, lists, filters, searches, searches with descendants, counts, deletes and sessions`,
  );
});
