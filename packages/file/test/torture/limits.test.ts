import { readFileSync } from 'node:fs';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { wholesOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import { FileSession, FileStore } from '../../src/index.ts';
import { flipBit, lineStarts, Snapshot, sessions, stores } from './logs.ts';
import { places } from './places.ts';

/* Limits count only readable entries, wherever the damaged lines are. */

const { place } = places();
const ROUNDS = rounds(100);
const TEXTS = Array.from({ length: 40 }, (_, n) => `text ${n} ä`);

/** Damages up to 12 texts, more of them at the end, and returns the rest. */
function damageSome(snapshot: Snapshot, random: (end: number) => number): string[] {
  const starts = lineStarts(readFileSync(snapshot.log));
  const damaged = new Set<number>();
  for (let hits = random(13); hits > 0; hits--) {
    const n = TEXTS.length - 1 - random(random(2) === 0 ? 6 : TEXTS.length);
    if (damaged.has(n)) continue;
    damaged.add(n);
    // In the JSON, so that the flip does not affect the line feed.
    flipBit(snapshot.log, ((starts[n + 1] as number) + 20 + random(40)) * 8);
  }
  return TEXTS.filter((_, n) => !damaged.has(n));
}

it('limits of a session with damaged items return the newest readable items', async (context) => {
  const directory = place();
  for (let n = 0; n < TEXTS.length; n += 4) await sessions.add(directory, TEXTS.slice(n, n + 4));
  const snapshot = new Snapshot(directory);
  const random = wholesOf('limits');
  let reads = 0;
  for (let round = 0; round < ROUNDS; round++) {
    snapshot.restore();
    const left = damageSome(snapshot, random);
    const open = () => new FileSession<{ text: string }>({ directory, sessionId: 'chat', onCorrupt() {} });
    const one = open();
    for (const limit of [0, 1, 2, 5, left.length - 1, left.length, left.length + 1, TEXTS.length, 1000, undefined]) {
      for (const session of [one, open()]) {
        const found = (await session.getItems(limit)).map(({ text }) => text);
        expect(found).toEqual(limit === 0 ? [] : left.slice(-(limit ?? Infinity)));
        reads++;
      }
    }
  }
  show(
    context,
    20,
    `sessions: limits 0, 1, N, > N and none over ${ROUNDS} logs with up to 12 of ${TEXTS.length} rows corrupt: ${count(reads)} reads, each the newest N readable items, in order`,
  );
});

it('pages of a store with damaged records contain each readable record once', async (context) => {
  const directory = place();
  for (let n = 0; n < TEXTS.length; n += 4) await stores.add(directory, TEXTS.slice(n, n + 4));
  const snapshot = new Snapshot(directory);
  const random = wholesOf('pages');
  let pages = 0;
  for (let round = 0; round < ROUNDS; round++) {
    snapshot.restore();
    const left = damageSome(snapshot, random);
    for (const limit of [1, 7, left.length, left.length + 1, 1000]) {
      const store = new FileStore({ directory, name: 'memory', onCorrupt() {} });
      const found: string[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await store.list({ limit, ...(cursor === undefined ? {} : { cursor }) });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items.map(({ id }) => id));
        cursor = page.cursor;
        pages++;
      }
      expect(found).toEqual(left.toReversed());
      expect(await store.search('heron', { maxSearchResults: limit })).toHaveLength(Math.min(limit, left.length));
    }
    await expect(new FileStore({ directory, name: 'memory', onCorrupt() {} }).list({ limit: 0 })).rejects.toMatchObject(
      {
        code: 'INVALID_ARGUMENT',
      },
    );
  }
  show(
    context,
    20,
    `stores: pages and searches of 1, N, > N over ${ROUNDS} logs with up to 12 of ${TEXTS.length} rows corrupt: ${count(pages)} pages, each readable record once, newest first; limit 0 is INVALID_ARGUMENT`,
  );
});
