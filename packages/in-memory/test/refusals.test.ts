import { type Filter, isMemoryError, type MemoryErrorCode, type RecordInput } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemorySession, InMemorySessionStore, InMemoryStore } from '../src/index.ts';

/** A call that is refused, with the code and the message of its error. */
type Refusal = readonly [what: string, call: () => unknown, code: MemoryErrorCode, words: RegExp];

const store = new InMemoryStore({ name: 'facts' });
const readOnly = new InMemoryStore({ name: 'facts', writable: false });
const session = new InMemorySession();
const sessions = new InMemorySessionStore();
const closed = new InMemoryStore({ name: 'facts' });

function put(fields: object) {
  return () => store.put({ content: 'tea', ...fields } as RecordInput);
}

function filtered(filter: unknown) {
  return () => store.search('tea', { filter: filter as Filter });
}

const cycle: { self?: object } = {};
cycle.self = cycle;

const arguments_: Refusal[] = [
  [
    'a value that JSON would lose',
    () => session.addItems([{ at: new Date() } as never]),
    'INVALID_ARGUMENT',
    /^items\[0\]\.<field 1> is a Date, which JSON can't hold/,
  ],
  ['NaN', () => session.addItems([{ n: Number.NaN }]), 'INVALID_ARGUMENT', /^items\[0\]\.<field 1> is NaN/],
  [
    'undefined in a list',
    () => session.addItems([{ list: [undefined] } as never]),
    'INVALID_ARGUMENT',
    /^items\[0\]\.<field 1>\[0\] is undefined/,
  ],
  [
    'a cycle',
    () => session.addItems([cycle as never]),
    'INVALID_ARGUMENT',
    /^items\[0\]\.<field 1> is a reference to one of its own parents/,
  ],
  [
    'an item that is not an object',
    () => session.addItems(['hello' as never]),
    'INVALID_ARGUMENT',
    /^items\[0\] must be a JSON object/,
  ],
  ['items that are not an array', () => session.addItems({} as never), 'INVALID_ARGUMENT', /^items must be an array/],
  ['a limit that is not a number', () => session.getItems('2' as never), 'INVALID_ARGUMENT', /^limit must be a number/],
  ['an empty session id', () => new InMemorySession({ sessionId: '' }), 'INVALID_ARGUMENT', /^sessionId is empty/],
  ['an id with NUL', () => sessions.open('a\0'), 'INVALID_ARGUMENT', /^sessionId holds a NUL/],
  [
    'an id with a lone surrogate',
    () => sessions.open('\ud800'),
    'INVALID_ARGUMENT',
    /^sessionId holds a lone surrogate/,
  ],
  ['a long id', () => sessions.open('x'.repeat(513)), 'INVALID_ARGUMENT', /^sessionId is longer than 512/],
  [
    'an unknown transaction',
    () => session.applyHistoryTransaction({ operationId: 'a', transaction: { type: 'x' } as never }),
    'INVALID_ARGUMENT',
    /'append_items' or 'replace_suffix'/,
  ],
  [
    'an unknown mutation',
    () => session.applyHistoryMutations({ mutations: [{ type: 'x' } as never] }),
    'INVALID_ARGUMENT',
    /^mutations\[0\] must be \{ type: 'replace_function_call'/,
  ],
  [
    'a store without a name',
    () => new InMemoryStore({ name: ' ' }),
    'INVALID_ARGUMENT',
    /^name must be a text that is not blank/,
  ],
  [
    'a maxSearchResults of 0',
    () => new InMemoryStore({ name: 'x', maxSearchResults: 0 }),
    'INVALID_ARGUMENT',
    /^maxSearchResults must be a whole number of 1 or more/,
  ],
  [
    'a namespace that is a string',
    () => store.within('u:alice' as never),
    'INVALID_ARGUMENT',
    /^A namespace is an array of segments/,
  ],
  ['an empty segment', () => store.within(['user', '']), 'INVALID_ARGUMENT', /^Segment 1 of the namespace is empty/],
  [
    'a long segment',
    () => store.within(['x'.repeat(257)]),
    'INVALID_ARGUMENT',
    /^Segment 0 of the namespace is longer than 256/,
  ],
  ['blank content', put({ content: ' \n' }), 'INVALID_ARGUMENT', /^record\.content must be text that is not blank/],
  ['blank content to add', () => store.add('  '), 'INVALID_ARGUMENT', /content must be text that is not blank/],
  [
    'metadata that is not an object',
    put({ metadata: [] }),
    'INVALID_ARGUMENT',
    /^record\.metadata must be a JSON object/,
  ],
  ['a time to live of 0', put({ ttlMs: 0 }), 'INVALID_ARGUMENT', /^record\.ttlMs must be a whole number from 1/],
  [
    'a time without a zone',
    put({ createdAt: '2026-01-01T00:00' }),
    'INVALID_ARGUMENT',
    /^record\.createdAt must be ISO 8601 with a zone/,
  ],
  [
    'a negative turn index',
    put({ turn: { thread: 'a', index: -1 } }),
    'INVALID_ARGUMENT',
    /^record\.turn\.index must be a whole number of 0 or more/,
  ],
  [
    'an invalid record in a batch',
    () => store.putMany([{ content: 'tea' }, { content: '' }]),
    'INVALID_ARGUMENT',
    /^records\[1\]\.content/,
  ],
  [
    'a negative ifVersion',
    () => store.put({ content: 'tea' }, { ifVersion: -1 }),
    'INVALID_ARGUMENT',
    /^ifVersion must be a whole number/,
  ],
  ['a query that is not a string', () => store.search(7 as never), 'INVALID_ARGUMENT', /^The query must be a text/],
  [
    'an unknown order',
    () => store.list({ order: 'asc' as 'newest' }),
    'INVALID_ARGUMENT',
    /^order must be 'newest' or 'oldest'/,
  ],
  [
    'an embedder without dimensions',
    () => new InMemoryStore({ name: 'facts', embedder: { id: 'none', dimensions: 0, embed: async () => [] } }),
    'INVALID_ARGUMENT',
    /^`embedder` must be \{ id, dimensions, embed \}/,
  ],
  ['a fractional limit', () => store.search('tea', { maxSearchResults: 0.5 }), 'INVALID_ARGUMENT', /^maxSearchResults/],
  [
    'a minScore of NaN',
    () => store.search('tea', { minScore: Number.NaN }),
    'INVALID_ARGUMENT',
    /^minScore must be a finite number/,
  ],
  [
    'an unknown operator',
    filtered({ user: { like: 'a%' } }),
    'INVALID_ARGUMENT',
    /^filter\.<field 1> must be a value or use only the operators in, ne, gt, gte, lt, lte, exists/,
  ],
  [
    'a filter that compares with undefined',
    filtered({ user: undefined }),
    'INVALID_ARGUMENT',
    /^filter\.<field 1> is undefined/,
  ],
  [
    'a filter with an invalid time',
    filtered({ createdAt: 'May' }),
    'INVALID_ARGUMENT',
    /^filter\.createdAt must be ISO 8601/,
  ],
  [
    'a page limit of 0',
    () => store.list({ limit: 0 }),
    'INVALID_ARGUMENT',
    /^limit must be a whole number from 1 to 1000/,
  ],
  [
    'a made-up cursor',
    () => store.list({ cursor: 'x' }),
    'INVALID_ARGUMENT',
    /^This cursor is not from a list with these options/,
  ],
  [
    'a message with an unknown role',
    () => store.addMessages([{ role: 'robot' as never, content: 'x' }]),
    'INVALID_ARGUMENT',
    /^messages\[0\] must be \{ role, content \}/,
  ],
  [
    'a thread without sequence numbers',
    () => store.addMessages([{ role: 'user', content: 'x' }], { thread: 'a' }),
    'INVALID_ARGUMENT',
    /`runId` and `thread` need `sequenceNumbers`/,
  ],
  [
    'decreasing sequence numbers',
    () =>
      store.addMessages(
        [
          { role: 'user', content: 'x' },
          { role: 'user', content: 'y' },
        ],
        { sequenceNumbers: [2, 1] },
      ),
    'INVALID_ARGUMENT',
    /^`sequenceNumbers` must have one whole number/,
  ],
];

const sizes: Refusal[] = [
  [
    'a long message after an empty one',
    () =>
      store.addMessages([
        { role: 'user', content: '' },
        { role: 'user', content: 'x'.repeat(2 ** 20 + 1) },
      ]),
    'TOO_LARGE',
    /^messages\[1\] is over 1 MiB/,
  ],
  ['content over 1 MiB', put({ content: 'x'.repeat(1024 * 1024 + 1) }), 'TOO_LARGE', /^record\.content is over 1 MiB/],
  [
    'metadata over 64 KiB',
    put({ metadata: { x: 'x'.repeat(64 * 1024) } }),
    'TOO_LARGE',
    /^record\.metadata is over 64 KiB/,
  ],
  [
    'an item over 16 MiB',
    () => session.addItems([{ x: 'x'.repeat(16 * 1024 * 1024) }]),
    'TOO_LARGE',
    /^items\[0\] is over 16 MiB/,
  ],
];

const readOnlyWrites: Refusal[] = [
  ['put', () => readOnly.put({ content: 'tea' })],
  ['putMany', () => readOnly.putMany([{ content: 'tea' }])],
  ['add', () => readOnly.add('tea')],
  ['addMessages', () => readOnly.addMessages([{ role: 'user', content: 'tea' }])],
  ['delete', () => readOnly.delete('a')],
  ['clear', () => readOnly.clear()],
  ['a write in a namespace below', () => readOnly.within(['a'], { writable: true }).add('tea')],
].map(([what, call]) => [String(what), call as () => unknown, 'READ_ONLY', /is read-only/]);

const conflicts: Refusal[] = [
  [
    'a record that already exists',
    async () => {
      await store.put({ id: 'there', content: 'tea' });
      await store.put({ id: 'there', content: 'tea' }, { ifVersion: 0 });
    },
    'CONFLICT',
    /^The record has version \d+, not 0 \(0 = it does not exist\)\. Read it again/,
  ],
  ['the deletion of another version', () => store.delete('there', { ifVersion: 99 }), 'CONFLICT', /not 99/],
  [
    'an operation id that was used for another transaction',
    async () => {
      const append = (n: number) => ({
        operationId: 'once',
        transaction: { type: 'append_items' as const, items: [{ n }] },
      });
      await session.applyHistoryTransaction(append(1));
      await session.applyHistoryTransaction(append(2));
    },
    'CONFLICT',
    /^This operationId was already used for another transaction/,
  ],
  [
    'a suffix that the history does not end with',
    () =>
      session.applyHistoryTransaction({
        operationId: 'x',
        transaction: { type: 'replace_suffix', expectedSuffix: [{ n: 9 }], replacement: [] },
      }),
    'CONFLICT',
    /^The history does not end with `expectedSuffix`/,
  ],
];

const states: Refusal[] = [
  [
    'a closed store',
    async () => {
      await closed.close();
      await closed.get('a');
    },
    'CLOSED',
    /^This store was closed/,
  ],
  [
    'an aborted search',
    () => store.search('tea', { signal: AbortSignal.abort() }),
    'ABORTED',
    /^The caller aborted this call/,
  ],
  [
    'an aborted write',
    () => store.put({ content: 'tea' }, { signal: AbortSignal.abort() }),
    'ABORTED',
    /^The caller aborted/,
  ],
];

describe.each([
  ['arguments', arguments_],
  ['sizes', sizes],
  ['writes to read-only stores', readOnlyWrites],
  ['conflicts', conflicts],
  ['states', states],
])('refused: %s', (_, refusals) => {
  it.each(refusals)('%s', async (_what, call, code, words) => {
    const error = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(isMemoryError(error) && error.code).toBe(code);
    expect((error as Error).message).toMatch(words);
  });
});
