import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { wholesOf } from '@keepsake/testing/torture/seed';
import { describe, expect, it } from 'vitest';
import { FileSession, FileStore } from '../../src/index.ts';
import { flipBit, type LogOwner, lineStarts, Snapshot, sessions, stores } from './logs.ts';
import { places } from './places.ts';

const { place } = places();
const FLIPS = rounds(1000);
const UNDER_AN_INSTANCE = rounds(200);

/** A log of many small batches with lines of different lengths. */
async function fixture(owner: LogOwner): Promise<{ snapshot: Snapshot; texts: string[] }> {
  const directory = place();
  const texts: string[] = [];
  for (let n = 0; n < 30; n++) {
    const batch = Array.from({ length: 1 + (n % 3) }, (_, index) => `${n}.${index} ${'ä💡 b'.repeat((n * n) % 23)}`);
    await owner.add(directory, batch);
    texts.push(...batch);
  }
  return { snapshot: new Snapshot(directory), texts };
}

/** A log long enough for files beside it, such as an index. */
async function longFixture(owner: LogOwner): Promise<{ snapshot: Snapshot; texts: string[] }> {
  const directory = place();
  const texts = Array.from({ length: 30 }, (_, n) => `${n} ${'ä'.repeat(200)}`);
  // The padding is separate, because an id cannot be that long.
  for (const text of texts) await owner.addLong(directory, text, 40_000);
  return { snapshot: new Snapshot(directory), texts };
}

describe.each([sessions, stores])('a flipped bit in a log of $name', (owner) => {
  it('damages at most one record, and is reported', async (context) => {
    const { snapshot, texts } = await fixture(owner);
    const log = readFileSync(snapshot.log);
    const starts = lineStarts(log);
    const random = wholesOf(`flips ${owner.name}`);
    let lost = 0;
    let reported = 0;
    for (let flip = 0; flip < FLIPS; flip++) {
      const bit = random(log.length * 8);
      snapshot.restore();
      flipBit(snapshot.log, bit);
      const line = starts.findLastIndex((start) => start <= bit >> 3);
      const isLineFeed = bit >> 3 === (starts[line + 1] as number) - 1;
      // The first line is the header, followed by one line per text.
      const left = isLineFeed || line === 0 ? texts : texts.filter((_, n) => n !== line - 1);
      const first = await owner.read(snapshot.directory);
      expect(first.texts).toEqual(left);
      if (!isLineFeed) expect(first.reports.length).toBeGreaterThan(0);
      lost += texts.length - left.length;
      reported += Number(first.reports.length > 0);

      // Later changes are not affected, and the damage is reported again.
      await owner.add(snapshot.directory, ['next']);
      const second = await owner.read(snapshot.directory);
      expect(second.texts).toEqual([...left, 'next']);
      if (left.length < texts.length) expect(second.reports.length).toBeGreaterThan(0);
    }
    show(
      context,
      15,
      `${owner.name}: ${count(FLIPS)} bit flips in logs: ${lost} records damaged, one per flip; ${reported} flips reported, the others in line feeds; all other records read, also after the next batch`,
    );
  });

  it('damages only its own record among many flips', async (context) => {
    const random = wholesOf(`many flips ${owner.name}`);
    const { snapshot, texts } = await fixture(owner);
    const log = readFileSync(snapshot.log);
    const starts = lineStarts(log);
    let flips = 0;
    for (let round = 0; round < rounds(100); round++) {
      snapshot.restore();
      const hit = new Set<number>();
      for (let flip = 0; flip < 10; flip++, flips++) {
        const line = 1 + random(starts.length - 2);
        const [from = 0, end = 0] = starts.slice(line, line + 2);
        // Not in its line feed, which would join a damaged line and the next.
        flipBit(snapshot.log, from * 8 + random((end - 1 - from) * 8));
        hit.add(line - 1);
      }
      const { texts: found, reports } = await owner.read(snapshot.directory);
      // Two flips of one bit cancel each other.
      for (const n of [...hit]) if (found.includes(texts[n] as string)) hit.delete(n);
      expect(found).toEqual(texts.filter((_, n) => !hit.has(n)));
      expect(hit.size).toBeGreaterThan(3);
      expect(reports.length).toBeGreaterThan(0);
    }
    show(context, 15, `${owner.name}: ${count(flips)} flips, 10 per log: only the damaged records are missing`);
  });

  it('in a file beside the log changes no result', async (context) => {
    const figures: string[] = [];
    for (const { snapshot, texts } of [await fixture(owner), await longFixture(owner)]) {
      // The lock is renamed with each use.
      const isBeside = (path: string) => dirname(path) === dirname(snapshot.log) && !basename(path).startsWith('lock-');
      const others = snapshot.others.filter(isBeside);
      const files = others.map((path) => ({ path, bytes: readFileSync(path) }));
      const random = wholesOf(`other flips ${owner.name}`);
      for (let flip = 0; flip < FLIPS && files.length > 0; flip++) {
        const { path, bytes } = files[flip % files.length] as { path: string; bytes: Buffer };
        // Every other flip is near the beginning, in the header.
        flipBit(path, random(8 * (flip % 2 === 0 ? Math.min(bytes.length, 1000) : bytes.length)));
        const { texts: found, reports } = await owner.read(snapshot.directory);
        expect(found).toEqual(texts);
        expect(reports).toEqual([]);
        // Only some texts each time, because finding all of them would dominate the test.
        await owner.find(
          snapshot.directory,
          texts.filter((_, n) => n % 5 === flip % 5),
        );
        writeFileSync(path, bytes);
      }
      const log = `a log of ${count(readFileSync(snapshot.log).length)} bytes`;
      figures.push(
        files.length === 0
          ? `beside ${log} there are no other files with content`
          : `beside ${log}, ${count(FLIPS)} flips in ${files.map(({ path }) => basename(path)).join(', ')}: nothing lost`,
      );
    }
    show(context, 15, `${owner.name}: other files: ${figures.join('; ')}`);
  });

  it('in a long log with files beside it damages only one record', async (context) => {
    const { snapshot, texts } = await longFixture(owner);
    const log = readFileSync(snapshot.log);
    const starts = lineStarts(log);
    const random = wholesOf(`long flips ${owner.name}`);
    const flips = rounds(100);
    for (let flip = 0; flip < flips; flip++) {
      snapshot.restore();
      const hit = random(texts.length);
      const [from = 0, end = 0] = starts.slice(hit + 1, hit + 3);
      flipBit(snapshot.log, from * 8 + random((end - 1 - from) * 8));
      const left = texts.filter((_, n) => n !== hit);
      for (const added of [[], ['next']]) {
        if (added.length > 0) await owner.add(snapshot.directory, added);
        const { texts: found, reports } = await owner.read(snapshot.directory);
        expect(found).toEqual([...left, ...added]);
        expect(reports.length).toBeGreaterThan(0);
      }
    }
    show(
      context,
      15,
      `${owner.name}: ${flips} bit flips in a log of ${count(log.length)} bytes: only the damaged records are missing, and each is reported`,
    );
  });
});

describe('a flipped bit under an open instance', () => {
  it('of a session damages only one item', async (context) => {
    const { snapshot, texts } = await fixture(sessions);
    const log = readFileSync(snapshot.log);
    const starts = lineStarts(log);
    const random = wholesOf('flips under a session');
    for (let flip = 0; flip < UNDER_AN_INSTANCE; flip++) {
      snapshot.restore();
      const reports: unknown[] = [];
      const session = new FileSession<{ text: string }>({
        directory: snapshot.directory,
        sessionId: 'chat',
        onCorrupt: (report) => reports.push(report),
      });
      expect(await session.getItems()).toHaveLength(texts.length);
      const line = 1 + random(starts.length - 2);
      const [from = 0, end = 0] = starts.slice(line, line + 2);
      flipBit(snapshot.log, from * 8 + random((end - 1 - from) * 8));
      const found = (await session.getItems()).map(({ text }) => text);
      expect(found).toEqual(texts.filter((_, n) => n !== line - 1));
      expect(reports.length).toBeGreaterThan(0);
    }
    show(
      context,
      15,
      `sessions: ${UNDER_AN_INSTANCE} bit flips under an open instance: only the damaged items are missing, and each is reported`,
    );
  });

  it('of a store affects no later writes', async (context) => {
    const { snapshot, texts } = await fixture(stores);
    const log = readFileSync(snapshot.log);
    const starts = lineStarts(log);
    const random = wholesOf('flips under a store');
    for (let flip = 0; flip < UNDER_AN_INSTANCE; flip++) {
      snapshot.restore();
      const store = new FileStore({ directory: snapshot.directory, name: 'memory', durability: 'os', onCorrupt() {} });
      expect((await store.list()).items.length).toBeGreaterThan(0);
      const line = 1 + random(starts.length - 2);
      const [from = 0, end = 0] = starts.slice(line, line + 2);
      flipBit(snapshot.log, from * 8 + random((end - 1 - from) * 8));
      await store.put({ id: 'next', content: 'heron next' });
      expect((await stores.read(snapshot.directory)).texts).toEqual([
        ...texts.filter((_, n) => n !== line - 1),
        'next',
      ]);
    }
    show(
      context,
      15,
      `stores: ${UNDER_AN_INSTANCE} bit flips under an open instance: later writes are read back, only the damaged record is missing`,
    );
  });
});
