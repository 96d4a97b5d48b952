import type { MemoryRecord } from '@keepsake/core';
import { revisedRecord } from '@keepsake/core/adapter';
import { expect, it } from 'vitest';
import { changeGuarded, type DecideChanges, type LoggedRecord, SeenRecords } from '../src/index.ts';

/** A namespace in a backend that tells the numbers of changes, and `calls`: what it was asked for since the last look. */
function backend() {
  const records = new Map<string, LoggedRecord>();
  let last = 0;
  let calls: string[] = [];
  const read = async (ids: readonly string[]) => ids.flatMap((id) => records.get(id) ?? []);
  /** One process. */
  function open() {
    const seen = new SeenRecords().in([]);
    const log: Parameters<typeof changeGuarded>[0] = {
      seen,
      async read(ids) {
        calls.push('read');
        const found = await read(ids);
        seen.set(ids, found);
        return found;
      },
      async make(changes) {
        calls.push('make');
        const isChanged = changes.some(({ id, guard }) => records.get(id)?.change !== guard?.change);
        if (isChanged) return { known: await read(changes.map(({ id }) => id)) };
        const before = last;
        last += changes.at(-1)?.place ?? 0;
        const now = new Date();
        for (const { id, put, place, placeCreated, created = before + placeCreated } of changes) {
          if (put === undefined) records.delete(id);
          else
            records.set(id, {
              record: { ...put, updatedAt: now.toISOString() },
              change: before + place,
              created,
              writer: '',
            });
        }
        return { now, before, writer: '' };
      },
    };
    const change = (id: string, decide: DecideChanges) => changeGuarded(log, [id], decide);
    return {
      read: log.read,
      put: (id: string, content = id) => change(id, (known) => (now) => [{ put: revised(id, content, known, now) }]),
      delete: (id: string) => change(id, (known) => () => (known.has(id) ? [{ delete: id }] : [])),
    };
  }
  const takeCalls = () => {
    const taken = calls.join(' ');
    calls = [];
    return taken;
  };
  return { open, takeCalls, versionOf: (id: string) => records.get(id)?.record.version };
}

function revised(id: string, content: string, known: ReadonlyMap<string, MemoryRecord>, now: Date): MemoryRecord {
  const input = { id, content, metadata: {}, createdAt: undefined, ttlMs: undefined, turn: undefined };
  return revisedRecord({ ...input, source: undefined, index: true }, known.get(id), now, 1);
}

it('takes one call to change a record that this process has put or read', async () => {
  const { open, takeCalls, versionOf } = backend();
  const [one, other] = [open(), open()];
  for (let n = 0; n < 3; n++) await one.put('x');
  expect(takeCalls()).toBe('make make make');
  await other.read(['x']);
  await other.put('x');
  expect(takeCalls()).toBe('read make');
  expect(versionOf('x')).toBe(4);
  await other.delete('x');
  await other.put('x');
  expect(takeCalls()).toBe('make make');
});

it('takes a second call if others have changed the record, and a read before it changes nothing', async () => {
  const { open, takeCalls, versionOf } = backend();
  const [one, other] = [open(), open()];
  await one.put('x');
  await other.put('x');
  await one.put('x');
  expect(takeCalls()).toBe('make make make make make');
  expect(versionOf('x')).toBe(3);
  await other.delete('x');
  await one.delete('y');
  expect(takeCalls()).toBe('make make read');
});

it('does not remember long records, or many at once', async () => {
  const { open, takeCalls, versionOf } = backend();
  const one = open();
  for (let n = 0; n < 2; n++) await one.put('x', 'long '.repeat(1_000));
  expect(takeCalls()).toBe('make make make');
  for (let n = 0; n < 17; n++) await one.put(`${n}`);
  takeCalls();
  await one.read(Array.from({ length: 17 }, (_, n) => `${n}`));
  await one.put('3');
  expect(takeCalls()).toBe('read make');
  expect(versionOf('3')).toBe(2);
});
