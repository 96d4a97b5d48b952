import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { prepareRecord, prepareRecords } from '../src/adapter.ts';
import type { RecordInput } from '../src/index.ts';
import { checkContent, copyMetadata } from '../src/store/record-input.ts';

const TTL_LIMIT = 1_000 * 365 * 24 * 60 * 60 * 1_000;

describe('prepareRecord', () => {
  it('fills in the defaults', () => {
    expect(prepareRecord({ content: 'Likes tea' })).toStrictEqual({
      id: undefined,
      content: 'Likes tea',
      metadata: {},
      createdAt: undefined,
      ttlMs: undefined,
      index: true,
      turn: undefined,
      source: undefined,
    });
  });

  it('keeps all known fields, and drops unknown ones', () => {
    const input = {
      id: 'a',
      content: ' Likes tea\n',
      metadata: { source: 'chat', tags: ['x'] },
      createdAt: '2026-11-21T09:30:00+01:00',
      ttlMs: 1,
      index: false,
      turn: { thread: 't', index: 0, speaker: 'Alice', more: 1 },
      source: { conversation: 'c', run: 'r', speaker: 'Alice', kind: 'fact' as const },
      version: 7,
    };
    expect(prepareRecord(input)).toStrictEqual({
      id: 'a',
      content: ' Likes tea\n',
      metadata: { source: 'chat', tags: ['x'] },
      createdAt: '2026-11-21T08:30:00.000Z',
      ttlMs: 1,
      index: false,
      turn: { thread: 't', index: 0, speaker: 'Alice' },
      source: { conversation: 'c', run: 'r', speaker: 'Alice', kind: 'fact' },
    });
    expect(prepareRecord({ content: 'x', turn: { thread: 't', index: 3 } }).turn).toStrictEqual({
      thread: 't',
      index: 3,
    });
    expect(prepareRecord({ content: 'x', ttlMs: TTL_LIMIT }).ttlMs).toBe(TTL_LIMIT);
  });

  it('shares nothing with the caller', () => {
    const input = { content: 'x', metadata: { tags: ['a'] }, turn: { thread: 't', index: 0 }, source: { run: 'r' } };
    const prepared = prepareRecord(input);
    input.metadata.tags.push('b');
    input.turn.index = 9;
    input.source.run = 's';
    expect(prepared.metadata).toEqual({ tags: ['a'] });
    expect(prepared.turn).toEqual({ thread: 't', index: 0 });
    expect(prepared.source).toEqual({ run: 'r' });
  });

  it.each([
    ['a string as the record', 'Likes tea', "record must be an object, such as { content: 'Likes tea' }."],
    ['null as the record', null, "record must be an object, such as { content: 'Likes tea' }."],
    ['no content', {}, 'record.content must be text that is not blank.'],
    ['blank content', { content: ' \n\t\u00a0' }, 'record.content must be text that is not blank.'],
    ['content of another type', { content: ['x'] }, 'record.content must be text that is not blank.'],
    ['an empty id', { id: '', content: 'x' }, 'record.id is empty.'],
    ['a null id', { id: null, content: 'x' }, 'record.id is not a string.'],
    ['an overlong id', { id: 'x'.repeat(513), content: 'x' }, 'record.id is longer than 512 characters.'],
    ['an index that is not a boolean', { content: 'x', index: 0 }, 'record.index must be true or false.'],
    ['metadata that is a list', { content: 'x', metadata: [] }, 'record.metadata must be a JSON object.'],
    ['null as metadata', { content: 'x', metadata: null }, 'record.metadata must be a JSON object.'],
    [
      'metadata that JSON cannot hold',
      { content: 'x', metadata: { at: [new Date(0)] } },
      "record.metadata.<field 1>[0] is a Date, which JSON can't hold. Convert it first, to a string for example.",
    ],
    ['a source that is not an object', { content: 'x', source: 'web' }, '`record.source` must be an object.'],
    [
      'an unknown field of a source',
      { content: 'x', source: { conversaton: 'c' } },
      'Unknown option `conversaton` in `record.source`. Did you mean `conversation`?',
    ],
    [
      'an unknown kind of source',
      { content: 'x', source: { kind: 'rumour' } },
      'record.source.kind must be utterance, fact or summary.',
    ],
    ['a run that is not a string', { content: 'x', source: { run: 7 } }, 'record.source.run is not a string.'],
    ['a turn that is not an object', { content: 'x', turn: 3 }, /^record\.turn must be an object/],
    [
      'null as a turn',
      { content: 'x', turn: null },
      /^record\.turn must be an object, such as \{ thread: 'standup', index: 0 \}\.$/,
    ],
    ['a turn without a thread', { content: 'x', turn: { index: 0 } }, 'record.turn.thread is not a string.'],
    [
      'a turn without an index',
      { content: 'x', turn: { thread: 't' } },
      'record.turn.index must be a whole number of 0 or more.',
    ],
    [
      'a negative turn index',
      { content: 'x', turn: { thread: 't', index: -1 } },
      'record.turn.index must be a whole number of 0 or more.',
    ],
    [
      'a fractional turn index',
      { content: 'x', turn: { thread: 't', index: 0.5 } },
      'record.turn.index must be a whole number of 0 or more.',
    ],
    [
      'an empty speaker',
      { content: 'x', turn: { thread: 't', index: 0, speaker: '' } },
      'record.turn.speaker is empty.',
    ],
  ])('refuses %s', (_name, input, message) => {
    expect(() => prepareRecord(input as unknown as RecordInput)).toThrow(memoryError('INVALID_ARGUMENT', message));
  });

  it.each([
    0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    TTL_LIMIT + 1,
    '60' as unknown as number,
    null as unknown as number,
  ])('refuses a ttlMs of %s', (ttlMs) => {
    expect(() => prepareRecord({ content: 'x', ttlMs })).toThrow(
      memoryError('INVALID_ARGUMENT', 'record.ttlMs must be a whole number from 1 to 31536000000000.'),
    );
  });

  it.each([
    ['2026-11-21T08:00Z', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21T08:00:00.1239Z', '2026-11-21T08:00:00.123Z'],
    ['2026-11-21T00:30:00-11:45', '2026-11-21T12:15:00.000Z'],
    ['2024-02-29T24:00:00Z', '2024-03-01T00:00:00.000Z'],
  ])('accepts the time %s', (createdAt, iso) => {
    expect(prepareRecord({ content: 'x', createdAt }).createdAt).toBe(iso);
  });

  it.each([
    'yesterday',
    '2026-11-21',
    '2026-11-21T08:00:00',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T08:00:00+99:00',
    // Years that don't sort as text.
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    1_763_712_000_000,
    null,
  ])('refuses the time %s', (createdAt) => {
    expect(() => prepareRecord({ content: 'x', createdAt: createdAt as string })).toThrow(
      memoryError('INVALID_ARGUMENT', "record.createdAt must be ISO 8601 with a zone, such as '2026-11-21T08:00:00Z'."),
    );
  });
});

describe('prepareRecords', () => {
  it('names an invalid record by its index', () => {
    expect(prepareRecords([{ content: 'a' }, { content: 'b' }]).map(({ content }) => content)).toEqual(['a', 'b']);
    expect(() => prepareRecords([{ content: 'a' }, { content: '' }])).toThrow(
      memoryError('INVALID_ARGUMENT', 'records[1].content must be text that is not blank.'),
    );
    expect(() => prepareRecords(new Array(1))).toThrow(
      memoryError('INVALID_ARGUMENT', /^records\[0\] must be an object/),
    );
    expect(() => prepareRecords({ content: 'a' } as unknown as RecordInput[])).toThrow(
      memoryError('INVALID_ARGUMENT', 'records must be an array.'),
    );
  });
});

describe('checkContent and copyMetadata', () => {
  it('return content unchanged, whatever it contains', () => {
    const content = ' \0\ud800\u2028😀\ufeff ';
    expect(checkContent(content, 'content')).toBe(content);
  });

  it('keep hostile metadata fields, and leave out undefined ones', () => {
    const metadata = copyMetadata(JSON.parse('{"__proto__":{"x":1},"constructor":2}'), 'metadata');
    expect(Object.keys(metadata)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(copyMetadata({ a: undefined } as never, 'metadata')).toStrictEqual({});
    expect(copyMetadata(undefined, 'metadata')).toStrictEqual({});
  });
});
