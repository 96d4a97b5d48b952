import { expect } from 'vitest';
import { Follower, listAll, upToDate } from './follower.ts';
import { NAMESPACE, type RecordLogsCase } from './harness.ts';
import { ids, MANY, MANY_EXPIRED, put, remove } from './write-records.ts';

export const followingCases: readonly RecordLogsCase[] = [
  {
    title: 'a namespace without records has no changes',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      const follower = new Follower(log);
      expect(await follower.step()).toMatchObject({ isBeginning: true, isLast: true, changes: [] });
      expect(await follower.step()).toMatchObject({ isLast: true, changes: [] });
      await put(log, ['a']);
      await follower.expectUpToDate();
    },
  },
  {
    title: 'changes returns what changed after a position, and from the first change on without one',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b', 'c']);
      const follower = new Follower(open().open(NAMESPACE));
      expect(await follower.step()).toMatchObject({ isBeginning: true, isLast: true });
      expect(await follower.step()).toMatchObject({ isBeginning: false, isLast: true, changes: [] });
      await put(log, ['d', 'b'], { content: 'changed' });
      const part = await follower.step();
      expect(part.isBeginning).toBe(false);
      expect(part.changes).toMatchObject(['d', 'b'].map((id) => ({ record: { id, content: 'changed' } })));
      const [d, b] = part.changes;
      await follower.expectUpToDate();
      // A position between two changes of one call.
      const between = await log.changes({ ...part, change: d?.change ?? 0 });
      expect(between.changes.map(({ change }) => change)).toEqual([b?.change]);
      expect((await new Follower(log).follow()).sort()).toEqual(['a', 'b', 'c', 'd']);
    },
  },
  {
    title: 'many changes come in parts',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r'));
      for (const count of [MANY, 2 * MANY]) {
        const follower = new Follower(log);
        const parts = [];
        do parts.push(await follower.step());
        while (!parts.at(-1)?.isLast);
        expect(parts.length).toBeGreaterThan(1);
        expect(parts.map(({ isBeginning }) => isBeginning)).toEqual(parts.map((_, n) => n === 0));
        expect(new Set(parts.map(({ log }) => log)).size).toBe(1);
        expect(parts.flatMap(({ changes }) => changes)).toHaveLength(count);
        await follower.expectUpToDate();
        await put(log, ids('s'));
      }
    },
  },
  {
    title: 'a record that changed several times appears once, at its last change',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r'));
      const follower = await upToDate(log);
      for (const id of ['r1', 'r1000', 'r2', 'r1']) await put(log, [id]);
      expect(await follower.follow()).toEqual(['r1000', 'r2', 'r1']);
      expect((await new Follower(log).follow()).slice(-3)).toEqual(['r1000', 'r2', 'r1']);
      await follower.expectUpToDate();
    },
  },
  {
    title: 'deletions appear in the order of changes, until the record is put again',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b', 'c', 'd']);
      const follower = await upToDate(log);
      await remove(log, ['c']);
      await put(log, ['e']);
      await remove(log, ['a', 'b']);
      await put(log, ['b']);
      await remove(log, ['e']);
      expect(await follower.follow()).toEqual(['-c', '-a', 'b', '-e']);
      await follower.expectUpToDate();
    },
  },
  {
    title: 'what is deleted, replaced or put between two parts is in the later ones',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r'));
      const follower = new Follower(log);
      const known = (await follower.step()).changes.flatMap((one) => ('record' in one ? one.record.id : []));
      const unknown = ids('r').filter((id) => !known.includes(id));
      await remove(log, [known[0], unknown[0]] as string[]);
      await put(log, [known[1], unknown[1], 'new'] as string[], { content: 'changed' });
      await follower.expectUpToDate();
      expect(follower.records.get(known[1] as string)?.record.content).toBe('changed');
      expect(follower.begins).toBe(1);
    },
  },
  {
    title: 'records that expire are known as expired, or as deleted once they were removed',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      const expiring = ids('expired', MANY_EXPIRED);
      await put(log, ['lasting', ...expiring]);
      const follower = await upToDate(log);
      await put(log, expiring, { ttlMs: 0 });
      await follower.expectUpToDate();
      // Each of these may remove some of the others.
      for (let n = 0; n < 4; n++) {
        await put(log, [`r${n}`]);
        await follower.expectUpToDate();
      }
      expect((await listAll(log)).map(({ record }) => record.id)).toEqual(['lasting', ...ids('r', 4)]);
      expect(follower.begins).toBe(1);
    },
  },
  {
    title: 'the vector of a record is read only for the embedder that made it',
    async run({ open }) {
      const [one, other] = ['one', 'other'].map((id) => ({ id, dimensions: 3, embed: async () => [] }));
      const log = open(one).open(NAMESPACE);
      const vector = Float32Array.of(0.1, -2, 1e-30);
      await put(log, ['a'], { vector });
      await put(open(other).open(NAMESPACE), ['b'], { vector: Float32Array.of(1, 2, 3) });
      await put(log, ['c']);
      const vectors = async (embedder?: typeof one) => {
        const { changes } = await open(embedder).open(NAMESPACE).changes(undefined);
        return changes.map((change) => ('vector' in change && change.vector ? [...change.vector] : undefined));
      };
      expect(await vectors(one)).toEqual([[...vector], undefined, undefined]);
      expect(await vectors(other)).toEqual([undefined, [1, 2, 3], undefined]);
      expect(await vectors()).toEqual([undefined, undefined, undefined]);
      // Without a vector, that of the content before does not count.
      await put(log, ['a']);
      expect(await vectors(one)).toEqual([undefined, undefined, undefined]);
    },
  },
];
