import { MemoryError } from '@keepsake/core';
import { expect } from 'vitest';
import { Follower, listAll, listIds, upToDate } from './follower.ts';
import { NAMESPACE, type RecordLogsCase } from './harness.ts';
import { ids, MANY_EXPIRED, put, puts, remove, turn } from './write-records.ts';

export const changingCases: readonly RecordLogsCase[] = [
  {
    title: 'change tells decide which of the records are there and have not expired',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      const expired = ids('expired', MANY_EXPIRED);
      await put(log, ['a', 'b', 'deleted', 'other']);
      await put(log, ['b'], { content: 'changed' });
      await remove(log, ['deleted']);
      await put(log, expired, { ttlMs: 0 });
      let seen: [string, string][] = [];
      await log.change(['a', 'b', 'deleted', 'missing', ...expired], (known) => {
        seen = [...known].map(([id, { content }]) => [id, content]);
        return () => [];
      });
      expect(seen.sort()).toEqual([
        ['a', 'a'],
        ['b', 'changed'],
      ]);
    },
  },
  {
    title: 'a change whose decide throws changes nothing',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b']);
      const follower = await upToDate(log);
      const refused = new MemoryError('CONFLICT', 'Refused.');
      const refuse = () => {
        throw refused;
      };
      await expect(log.change(['a', 'new'], refuse)).rejects.toBe(refused);
      await expect(log.change(['a', 'new'], () => refuse)).rejects.toBe(refused);
      expect(await follower.follow()).toEqual([]);
      expect(await listIds(log)).toEqual(['a', 'b']);
    },
  },
  {
    title: 'a change that decides to change nothing leaves nothing behind',
    async run({ open }) {
      const logs = open();
      const log = logs.open(NAMESPACE);
      await log.change(['a'], () => () => []);
      expect((await log.changes(undefined)).changes).toEqual([]);
      await put(log, ['a']);
      const follower = await upToDate(log);
      await log.change(['a'], () => () => []);
      expect(await follower.follow()).toEqual([]);
    },
  },
  {
    title: 'the last call of what decide returned gets the time of the change',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      for (const ttlMs of [undefined, 3_600_000]) {
        let time = new Date(0);
        await log.change(['a'], (known) => (now) => {
          time = now;
          return puts(['a'], known, now, ttlMs === undefined ? {} : { ttlMs });
        });
        const [found] = await log.read(['a']);
        expect(found?.record.updatedAt).toBe(time.toISOString());
        const expiresAt = ttlMs && new Date(time.getTime() + ttlMs).toISOString();
        expect(found?.record.expiresAt).toBe(expiresAt);
        expect(time.getTime()).toBeGreaterThan(Date.UTC(2020));
      }
    },
  },
  {
    title: 'nobody sees a part of a change',
    async run({ open }) {
      const [log, other] = [open().open(NAMESPACE), open().open(NAMESPACE)];
      await put(log, ['a', 'b'], { content: '0' });
      let isDone = false;
      const writing = (async () => {
        for (let n = 1; n <= 30; n++) {
          await put(log, ['a', 'b'], { content: `${n}` });
          await turn();
        }
      })().finally(() => {
        isDone = true;
      });
      while (!isDone) {
        const read = await other.read(['a', 'b']);
        const { changes } = await other.changes(undefined);
        const listed = await other.list({ order: 'oldest', after: undefined, limit: 10 });
        for (const seen of [read, changes, listed]) {
          const contents = seen.map((one) => ('record' in one ? one.record.content : one.deleted));
          expect(contents).toHaveLength(2);
          expect(contents[0]).toBe(contents[1]);
        }
        await turn();
      }
      await writing;
    },
  },
  {
    title: 'a change of a record that this process has read or changed is decided by what others made of it since',
    async run({ open }) {
      const [log, other] = [open().open(NAMESPACE), open().open(NAMESPACE)];
      const others: ((id: string) => Promise<void>)[] = [
        async () => {},
        (id) => put(other, [id], { content: 'other' }),
        (id) => remove(other, [id]),
        async (id) => {
          await remove(other, [id]);
          await put(other, [id], { content: 'other' });
        },
        (id) => put(other, [id], { content: 'other', ttlMs: 0 }),
      ];
      for (const [n, act] of others.entries()) {
        for (const isRead of [false, true]) {
          const id = `${n} ${isRead}`;
          await put(log, [id]);
          await put(log, [id], { content: 'own' });
          if (isRead) await log.read([id]);
          await act(id);
          const [known] = await other.read([id]);
          await put(log, [id], { content: 'last' });
          const [last] = await other.read([id]);
          expect(last?.record).toMatchObject({ content: 'last', version: (known?.record.version ?? 0) + 1 });
          expect(last?.record.createdAt).toBe(known?.record.createdAt ?? last?.record.updatedAt);
          if (known) expect(last?.created).toBe(known.created);
          expect(await log.read([id])).toEqual([last]);
        }
      }
    },
  },
  {
    title: 'a change is decided again if one of its records changes meanwhile',
    async run({ open }) {
      const both = [open().open(NAMESPACE), open().open(NAMESPACE)];
      const decided: number[] = [];
      const increments = Array.from({ length: 40 }, async (_, n) => {
        let from = 0;
        await both[n % 2]?.change(['count'], (known) => {
          from = Number(known.get('count')?.content ?? 0);
          return (now) => puts(['count'], known, now, { content: `${from + 1}` });
        });
        decided.push(from);
      });
      await Promise.all(increments);
      expect(decided.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
      const [count] = await listAll(both[0] as (typeof both)[0]);
      expect(count?.record).toMatchObject({ content: '40', version: 40 });
    },
  },
  {
    title: 'of several changes that create a record if it is missing, one does',
    async run({ open }) {
      const both = [open().open(NAMESPACE), open().open(NAMESPACE)];
      for (const id of ids('r', 5)) {
        const created: number[] = [];
        const creations = Array.from({ length: 8 }, async (_, n) => {
          let isCreated = false;
          await both[n % 2]?.change([id, 'other'], (known) => (now) => {
            isCreated = !known.has(id);
            return isCreated ? puts([id], known, now, { content: `${n}` }) : [];
          });
          if (isCreated) created.push(n);
        });
        await Promise.all(creations);
        expect(created).toHaveLength(1);
        const [found] = (await both[0]?.read([id])) ?? [];
        expect(found?.record).toMatchObject({ content: `${created[0]}`, version: 1 });
      }
    },
  },
  {
    title: 'the number of a change is higher than that of every change before',
    async run({ open }) {
      const both = [open().open(NAMESPACE), open().open(NAMESPACE)];
      const follower = new Follower(both[0] as (typeof both)[0]);
      let last = 0;
      const expectLater = async (expected: readonly string[]) => {
        const { changes } = await follower.step();
        expect(changes.map((one) => ('record' in one ? one.record.id : one.deleted))).toEqual(expected);
        for (const { change } of changes) {
          expect(Number.isSafeInteger(change)).toBe(true);
          expect(change).toBeGreaterThan(last);
          last = change;
        }
      };
      for (const [n, log] of [...both, ...both, ...both].entries()) {
        await put(log, ids(`${n}:`, 3));
        await expectLater(ids(`${n}:`, 3));
        if (n % 2 === 0) continue;
        await remove(log, ids(`${n - 1}:`, 3));
        await expectLater(ids(`${n - 1}:`, 3));
      }
    },
  },
  {
    title: 'a replaced record keeps the change that created it, one that was deleted or has expired is created again',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      const expired = ids('expired', MANY_EXPIRED);
      await put(log, ['replaced', 'deleted']);
      await put(log, expired, { ttlMs: 0 });
      const [replaced, deleted] = await listAll(log);
      expect(replaced?.created).toBe(replaced?.change);
      for (let n = 0; n < 2; n++) await put(log, ['replaced']);
      await remove(log, ['deleted']);
      await put(log, ['deleted', ...expired]);
      const [first, ...others] = await listAll(log);
      expect(first).toMatchObject({ record: { id: 'replaced', version: 3 }, created: replaced?.created });
      expect(first?.change).toBeGreaterThan(deleted?.change ?? Infinity);
      expect(others.map(({ record }) => record.id)).toEqual(['deleted', ...expired]);
      for (const { record, change, created } of others) expect([record.version, created]).toEqual([1, change]);
    },
  },
  {
    title: 'a batch that puts a record twice creates it by its first put, and changes it last by its last put',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['1', '2', '3']);
      const follower = await upToDate(log);
      await put(log, ['x', '2', 'x', '1', 'y', '2']);
      expect(await follower.follow()).toEqual(['x', '1', 'y', '2']);
      expect(await listIds(log)).toEqual(['1', '2', '3', 'x', 'y']);
      const [x, y] = (await listAll(log)).slice(3);
      expect([x?.record.version, y?.record.version]).toEqual([2, 1]);
      expect(x?.created).toBeLessThan(x?.change ?? 0);
      expect(follower.records.get('2')?.record.version).toBe(3);
      await follower.expectUpToDate();
    },
  },
  {
    title: 'a change whose signal is aborted is made, or rejects with ABORTED and changes nothing',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      const controller = new AbortController();
      const made = new Set<string>();
      const changes = ids('r', 20).map((id) =>
        log
          .change([id], (known) => (now) => puts([id], known, now), controller.signal)
          .then(
            () => void made.add(id),
            (error: unknown) => expect(error).toMatchObject({ code: 'ABORTED' }),
          ),
      );
      controller.abort();
      await Promise.all(changes);
      expect(new Set(await listIds(log))).toEqual(made);
    },
  },
];
