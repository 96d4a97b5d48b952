import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { CursorSeal, writeCursor } from '../src/adapter.ts';

const ALICE = ['user', 'alice'];
const refused = memoryError(
  'INVALID_ARGUMENT',
  'This cursor is not from this list, or was changed. Start without a cursor.',
);

describe('a sealed cursor', () => {
  const seal = new CursorSeal('secret');

  it('returns its position to every seal of the same secret', async () => {
    for (const position of [0, -1, 1, 37, 2 ** 53 - 1, 1.5]) {
      const cursor = await seal.write('records', ALICE, position);
      expect(await new CursorSeal('secret').read(cursor, 'records', ALICE)).toBe(position);
      expect(await seal.read(cursor, 'records', ALICE)).toBe(position);
    }
  });

  it('shows neither its position nor how many digits it has', async () => {
    const cursors = await Promise.all([1, 1, 2 ** 53 - 1].map((position) => seal.write('records', ALICE, position)));
    expect(new Set(cursors).size).toBe(3);
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
  });

  it('is refused for another secret, scope or kind of list', async () => {
    const cursor = await seal.write('records', ALICE, 7);
    await expect(new CursorSeal('other').read(cursor, 'records', ALICE)).rejects.toThrow(refused);
    for (const scope of [[], ['user'], ['user:alice'], ['alice', 'user']]) {
      await expect(seal.read(cursor, 'records', scope)).rejects.toThrow(refused);
    }
    await expect(seal.read(cursor, 'sessions', ALICE)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('is refused after any change, and so is a cursor that is not sealed', async () => {
    const cursor = await seal.write('records', ALICE, 7);
    for (const at of Array.from(cursor).keys()) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      await expect(seal.read(changed, 'records', ALICE)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    for (const text of ['', 'AAAA', 'A'.repeat(48), '!', 'A'.repeat(100_000)]) {
      await expect(seal.read(writeCursor('records', [text]), 'records', ALICE)).rejects.toThrow(refused);
    }
    await expect(seal.read(writeCursor('records', [7]), 'records', ALICE)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(await seal.read(undefined, 'records', ALICE)).toBeUndefined();
  });
});
