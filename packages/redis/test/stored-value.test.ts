import { describe, expect, it } from 'vitest';
import { bodyOf, readValue } from '../src/stores/stored-value.ts';

/** A record as scripts store it: changed by change 7 at 0. */
function stored(body: string): Buffer {
  const header = Buffer.alloc(17);
  header.writeDoubleBE(7, 1);
  return Buffer.concat([header, Buffer.from(body)]);
}

const turn = { thread: 't', index: 3, speaker: 'Ada' };
const plain = {
  ...{ id: 'x', content: 'tea', metadata: {}, version: 1, index: true },
  ...{ createdAt: '1970-01-01T00:00:00.000Z', updatedAt: '1970-01-01T00:00:00.000Z' },
};

describe('The body of a stored record', () => {
  it.each([
    ['nothing', {}, '1\n\n\ntea'],
    ['a version', { version: 3_541_902_337_000_012 }, `${(3_541_902_337_000_012).toString(36)}\n\n\ntea`],
    ['a record kept out of search', { index: false }, '1\n0\n\ntea'],
    ['a turn', { turn: { thread: 't', index: 3 } }, '1\n1,"t",3\n\ntea'],
    ['a turn with a speaker', { turn, index: false }, '1\n0,"t",3,"Ada"\n\ntea'],
    ['a source', { source: { kind: 'fact' } }, '1\n1,null,null,null,null,null,null,"fact"\n\ntea'],
    ['metadata', { metadata: { a: '\n' } }, '1\n\n{"a":"\\n"}\ntea'],
    [
      'a turn and a complete source',
      { turn, source: { conversation: 'c', run: 'r', speaker: 's', kind: 'utterance' } },
      '1\n1,"t",3,"Ada","c","r","s","utterance"\n\ntea',
    ],
  ] as const)('contains %s', (_, fields, body) => {
    const record = { ...plain, ...fields };
    expect(bodyOf(record)).toBe(body);
    expect(readValue('x', stored(body))).toEqual({ record, change: 7, created: 7, writer: '' });
  });
});
