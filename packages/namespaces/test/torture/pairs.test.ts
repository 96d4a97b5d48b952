import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { SEED } from '@keepsake/testing/torture/seed';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inMemory } from '../backends/in-memory.ts';
import { onEveryBackend } from '../backends/index.ts';
import { alike, open, type Slot } from './identities.ts';

/* Names made of `: * ? [ ] \ % _ . /`, names that differ only in case or normalisation, names with a common prefix. */

const PAIRS = rounds(10_000);
const ERASED = rounds(50);

interface Reads {
  get: number;
  list: number;
  search: number;
  count: number;
  delete: number;
}

/** Fails unless each store shows only its own records. Empties all of them. */
async function expectApart(slots: readonly Slot[], reads: Reads): Promise<void> {
  const ids = slots.map((_, n) => `own ${n}`);
  for (const [n, { store, sessions }] of slots.entries()) {
    const metadata = { place: n };
    await store.putMany([
      { id: 'one', content: `heron of ${n}`, metadata },
      { id: ids[n] as string, content: `heron of ${n}`, metadata },
    ]);
    await sessions?.open('s').addItems([{ place: n }]);
  }
  for (const [n, { what, store, sessions }] of slots.entries()) {
    const contents = [`heron of ${n}`, `heron of ${n}`];
    const { items } = await store.list();
    expect(
      items.map(({ content }) => content),
      what,
    ).toEqual(contents);
    expect(
      (await store.search('heron', { maxSearchResults: 100 })).map(({ content }) => content),
      what,
    ).toEqual(contents);
    expect((await store.namespaces()).items, what).toEqual([]);
    reads.list++;
    reads.search++;
    for (const [other, id] of ids.entries()) {
      if (other === n) continue;
      expect(await store.get(id), what).toBeUndefined();
      expect(await store.delete(id), what).toBe(false);
      reads.get++;
      reads.delete++;
    }
    if (sessions === undefined) continue;
    expect(
      (await sessions.list()).items.map(({ itemCount }) => itemCount),
      what,
    ).toEqual([1]);
    expect(await sessions.open('s').getItems(), what).toEqual([{ place: n }]);
  }
  for (const [n, { what, store, sessions }] of slots.entries()) {
    expect(await store.clear({ descendants: true }), what).toBe(2);
    expect(await sessions?.delete('s'), what).toBe(sessions && true);
    reads.count++;
    const next = slots[n + 1];
    if (next !== undefined) expect((await next.store.list()).items, next.what).toHaveLength(2);
  }
}

onEveryBackend((newPlace, backend) => {
  it(`${count(PAIRS)} pairs of namespaces never cross`, async (context) => {
    const reads: Reads = { get: 0, list: 0, search: 0, count: 0, delete: 0 };
    let pairs = 0;
    const together = fc.asyncProperty(alike(12), async (names) => {
      if (pairs >= PAIRS) return;
      const { slots } = open(newPlace(), names);
      await expectApart(slots, reads);
      pairs += (slots.length * (slots.length - 1)) / 2;
    });
    await fc.assert(together, { seed: SEED, numRuns: 400, endOnFailure: true });
    expect(pairs).toBeGreaterThanOrEqual(PAIRS);
    show(context, 23, `${backend}: ${count(pairs)} pairs of places, 0 crossings in ${calls(reads)}`);
  });

  it('erasing a user among look-alikes removes only their own data', async (context) => {
    let erased = 0;
    const property = fc.asyncProperty(alike(8), async (names) => {
      const { space, slots } = open(newPlace(), names);
      for (const [n, { store, sessions }] of slots.entries()) {
        await store.put({ id: 'one', content: `heron of ${n}` });
        await sessions?.open('s').addItems([{ place: n }]);
      }
      const principal = names.identities[0]?.principal ?? { id: '' };
      const isTheirs = (slot: Slot) => JSON.stringify(slot.principal) === JSON.stringify(principal);
      const theirs = slots.filter(isTheirs);
      const receipt = await space.eraseUser(principal);
      expect([receipt.memories, receipt.sessions]).toEqual([theirs.length, theirs.length]);
      for (const slot of slots) {
        const left = isTheirs(slot) ? 0 : 1;
        expect((await slot.store.list()).items, slot.what).toHaveLength(left);
        if (slot.sessions) expect((await slot.sessions.list()).items, slot.what).toHaveLength(left);
      }
      erased += theirs.length;
    });
    await fc.assert(property, { seed: SEED, numRuns: ERASED, endOnFailure: true });
    show(
      context,
      31,
      `${backend}: ${ERASED} users erased, ${count(erased)} of their own memories and none of look-alikes`,
    );
  });
});

it(`${count(PAIRS)} pairs of identities, each in a separate store, never cross`, async (context) => {
  const running = await inMemory.start();
  const reads: Reads = { get: 0, list: 0, search: 0, count: 0, delete: 0 };
  let pairs = 0;
  const pair = fc.asyncProperty(alike(2), async (names) => {
    const identities = names.identities.slice(0, 2);
    const { slots } = open(running.place(), {
      identities,
      pools: names.pools.slice(0, 1),
      teams: names.teams.slice(0, 1),
    });
    await expectApart(slots, reads);
    if (identities.length === 2) pairs++;
  });
  // Some generated identities are equal.
  for (let run = 0; pairs < PAIRS; run++)
    await fc.assert(pair, { seed: SEED + run, numRuns: Math.min(PAIRS, 1_000), endOnFailure: true });
  show(context, 23, `in-memory: ${count(pairs)} pairs of identities one by one, 0 crossings in ${calls(reads)}`);
});

function calls(reads: Reads): string {
  return Object.entries(reads)
    .map(([name, number]) => `${count(number)} × ${name}`)
    .join(', ');
}
