import { describe, expect, it } from 'vitest';
import { checkRemoval, keptRecord } from '../src/adapter/kept-record.ts';
import type { IdentifiedRecord, NamespaceRecords } from '../src/adapter/record-backend.ts';
import { RecordHistory } from '../src/adapter/record-history.ts';
import { revisedRecord } from '../src/adapter/revised-record.ts';
import type { MemoryRecord } from '../src/store/record-store.ts';

const NOW = new Date('2026-03-01T10:00:00Z');

/** Records in a map, which somebody else changes once, right before a put or a delete of ours. */
function recordsWith(stored: readonly MemoryRecord[], interfere: (rows: Map<string, MemoryRecord>) => void) {
  const rows = new Map(stored.map((record) => [record.id, record]));
  let isFirst = true;
  const meanwhile = () => {
    if (isFirst) interfere(rows);
    isFirst = false;
  };
  const records: Pick<NamespaceRecords, 'get' | 'put' | 'delete'> = {
    get: async (id) => rows.get(id),
    async put(inputs, options) {
      meanwhile();
      for (const input of inputs) keptRecord(input, rows.get(input.id), options);
      const put = inputs.map((input) => revisedRecord(input, rows.get(input.id), NOW));
      for (const record of put) rows.set(record.id, record);
      return put;
    },
    async delete(id, options) {
      const known = rows.get(id);
      if (known !== undefined) checkRemoval(known, options);
      // The first delete only finds out that there is a history.
      meanwhile();
      const current = rows.get(id);
      if (current !== undefined) checkRemoval(current, options);
      return rows.delete(id);
    },
  };
  return { rows, history: new RecordHistory(records as NamespaceRecords) };
}

function recordOf(id: string, content: string, more: Partial<IdentifiedRecord> = {}, version = 1): MemoryRecord {
  const input = { id, content, metadata: {}, index: true, source: undefined, ...more } as IdentifiedRecord;
  return { ...revisedRecord(input, undefined, NOW), version };
}

const successor = { id: 'new', content: 'crane', metadata: {}, index: true, source: undefined, supersedes: 'old' };

describe('a record that takes the id of another at the same moment, with the same version', () => {
  it.each([
    ['content', recordOf('old', 'egret')],
    ['metadata', recordOf('old', 'heron', { metadata: { seen: 2 } })],
    ['turn', recordOf('old', 'heron', { turn: { thread: 'chat', index: 1 } })],
    ['source', recordOf('old', 'heron', { source: { kind: 'fact' } })],
    ['expiry', recordOf('old', 'heron', { ttlMs: 86_400_000 })],
  ])('is closed with its own %s', async (_, other) => {
    const { rows, history } = recordsWith([recordOf('old', 'heron')], (all) => void all.set('old', other));
    await history.put([successor as unknown as IdentifiedRecord], {});
    const { content, metadata, turn } = other;
    expect(rows.get('old')).toMatchObject({ content, metadata, version: 2, index: false });
    expect(rows.get('old')?.turn).toEqual(turn);
    expect(rows.get('old')?.source).toMatchObject({ ...other.source, supersededBy: 'new' });
    expect(rows.get('old')?.expiresAt === undefined).toBe(other.expiresAt === undefined);
  });

  it('is not deleted with the history of the other', async () => {
    const closed = recordOf(
      'old',
      'heron',
      { source: { supersededBy: 'new', validUntil: NOW.toISOString() } as never },
      2,
    );
    const next = recordOf('new', 'crane', { source: { supersedes: 'old' } as never });
    const other = recordOf('old', 'egret', {}, 2);
    const { rows, history } = recordsWith([closed, next], (all) => void all.set('old', other));
    expect(await history.delete('new', {})).toBe(true);
    expect([...rows.values()]).toEqual([other]);
  });
});
