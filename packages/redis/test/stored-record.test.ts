import { prepareRecord } from '@keepsake/core/adapter';
import { describe, expect, it } from 'vitest';
import { linesOf, readRecord } from '../src/stores/stored-record.ts';

/** A record as scripts store it: created at 0, in version 1, with the id `x`. */
function stored(lines: string): Buffer {
  return Buffer.concat([Buffer.alloc(9), Buffer.of(0, 1), Buffer.from(`x${lines}`)]);
}

const turn = { thread: 't', index: 3, speaker: 'Ada' };

describe('The first line of a stored record', () => {
  // These lines are what earlier versions wrote, so a change here changes the data format.
  it.each([
    ['nothing', {}, ''],
    ['a record kept out of search', { index: false }, '0'],
    ['a turn', { turn: { thread: 't', index: 3 } }, '1,"t",3'],
    ['a turn with a speaker', { turn, index: false }, '0,"t",3,"Ada"'],
    ['a source', { source: { kind: 'fact' } }, '1,null,null,null,null,null,null,"fact"'],
    ['a turn and a source', { turn, source: { conversation: 'c', run: 'r' } }, '1,"t",3,"Ada","c","r"'],
    [
      'a turn and a complete source',
      { turn, source: { conversation: 'c', run: 'r', speaker: 's', kind: 'utterance' } },
      '1,"t",3,"Ada","c","r","s","utterance"',
    ],
  ] as const)('contains %s', (_, fields, line) => {
    const lines = linesOf(prepareRecord({ content: 'tea', ...fields }));
    expect(lines).toBe(`${line}\n\ntea`);
    expect(readRecord(0, stored(lines)).record).toEqual({
      ...{ id: 'x', content: 'tea', metadata: {}, version: 1, index: true, ...fields },
      ...{ createdAt: '1970-01-01T00:00:00.000Z', updatedAt: '1970-01-01T00:00:00.000Z' },
    });
  });
});
