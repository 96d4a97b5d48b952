import { describe, expect, it } from 'vitest';
import { recordCopies } from '../../src/copy/copy-records.ts';

const RECORD = {
  id: 'seat',
  content: 'Aisle',
  metadata: { topic: 'travel' },
  version: 3,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-02T00:00:00.000Z',
  turn: { thread: 'chat', index: 0 },
  index: true,
};
const { version: _, updatedAt: __, ...PUT } = RECORD;

describe('recordCopies', () => {
  it('returns a put for each version that the copy lacks', () => {
    expect(recordCopies(RECORD)).toEqual([PUT, PUT, PUT]);
    expect(recordCopies(RECORD, 2)).toEqual([PUT]);
    expect(recordCopies(RECORD, 3)).toEqual([]);
    expect(recordCopies(RECORD, 4)).toEqual([]);
  });

  it('closes the record only with the last put', () => {
    const closed = { validUntil: '2026-01-03T00:00:00.000Z', supersededBy: 'window' };
    expect(recordCopies({ ...RECORD, version: 2, ...closed })).toEqual([PUT, { ...PUT, ...closed }]);
  });

  it('keeps the rest of the lifetime, and copies nothing that has expired', () => {
    const expiresAt = '2026-01-05T00:00:00.000Z';
    const at = Date.parse(expiresAt);
    expect(recordCopies({ ...RECORD, version: 1, expiresAt }, 0, at - 5_000)).toEqual([{ ...PUT, ttlMs: 5_000 }]);
    expect(recordCopies({ ...RECORD, version: 1, expiresAt }, 0, at)).toEqual([]);
  });

  it('leaves out the namespace that a list over descendants names', () => {
    expect(recordCopies({ ...RECORD, version: 1, namespace: ['user'] })).toEqual([PUT]);
  });
});
