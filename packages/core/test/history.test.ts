import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import type { SessionHistoryMutation, SessionHistoryTransaction } from '../src/index.ts';
import {
  expectSuffix,
  type HistoryChange,
  prepareMutations,
  prepareTransaction,
  replaceFunctionCalls,
  wasApplied,
} from '../src/session/history.ts';

const append = (...items: object[]): SessionHistoryTransaction<object> => ({ type: 'append_items', items });
const prepare = (transaction: unknown, operationId: unknown = 'op-1') =>
  prepareTransaction({ operationId, transaction } as Parameters<typeof prepareTransaction>[0]);

describe('prepareTransaction', () => {
  it('returns the expected suffix and the items to append as JSON', async () => {
    const { digest, ...change } = await prepare(append({ b: 1, a: undefined }));
    expect(change).toEqual({ operationId: 'op-1', expectedSuffix: [], items: ['{"b":1}'] });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const replace = { type: 'replace_suffix', expectedSuffix: [{ a: 1 }, { a: 2 }], replacement: [{ a: 3 }] };
    expect(await prepare(replace)).toMatchObject({ expectedSuffix: ['{"a":1}', '{"a":2}'], items: ['{"a":3}'] });
  });

  it('returns equal digests for equal transactions only', async () => {
    const digest = async (transaction: unknown) => (await prepare(transaction)).digest;
    const first = await digest(append({ a: 1, b: { c: 1, d: 2 } }));
    expect(await digest({ items: [{ b: { d: 2, c: 1 }, a: 1, e: undefined }], type: 'append_items' })).toBe(first);
    for (const other of [
      append({ a: 1 }),
      append({ a: 1, b: { c: 1, d: 2 } }, {}),
      append(),
      { type: 'replace_suffix', expectedSuffix: [], replacement: [{ a: 1, b: { c: 1, d: 2 } }] },
    ]) {
      expect(await digest(other)).not.toBe(first);
    }
    const swap = (expectedSuffix: object[], replacement: object[]) => ({
      type: 'replace_suffix',
      expectedSuffix,
      replacement,
    });
    expect(await digest(swap([{}], []))).not.toBe(await digest(swap([], [{}])));
  });

  it('accepts items as deep as a session does', async () => {
    const deepest = JSON.parse(`${'{"v":'.repeat(499)}{}${'}'.repeat(499)}`);
    const replace = { type: 'replace_suffix', expectedSuffix: [deepest], replacement: [deepest] };
    expect((await prepare(replace)).items).toEqual([JSON.stringify(deepest)]);
    await expect(prepare(append({ deepest }))).rejects.toThrow('nested deeper than 500 levels');
  });

  it('reads the transaction before the first await', async () => {
    const items = [{ a: 1 }];
    const prepared = prepare(append(...items));
    (items[0] as { a: number }).a = 2;
    expect(await prepared).toEqual(await prepare(append({ a: 1 })));
  });

  it.each([
    ['an empty operationId', append(), '', 'operationId is empty.'],
    ['an operationId of another type', append(), 7, 'operationId is not a string.'],
    ['a blank operationId', append(), ' \n', 'operationId is blank.'],
    ['no transaction', undefined, 'op', '`transaction` must be an object.'],
    ['null as a transaction', null, 'op', '`transaction` must be an object.'],
    [
      'an unknown field',
      { ...append(), expected: [] },
      'op',
      /^Unknown option `expected` in `transaction`\. The options are type, items, expectedSuffix/,
    ],
    [
      'a field of the other type',
      { ...append(), replacement: [] },
      'op',
      'Unknown option `replacement` in `transaction`. The options are type, items.',
    ],
    ['an unknown type', { type: 'truncate' }, 'op', "transaction.type must be 'append_items' or 'replace_suffix'."],
    [
      'an inherited property as the type',
      { type: 'toString' },
      'op',
      "transaction.type must be 'append_items' or 'replace_suffix'.",
    ],
    ['no items', { type: 'append_items' }, 'op', 'transaction.items must be an array of items.'],
    ['an item that is not an object', append([] as object), 'op', 'transaction.items[0] must be a JSON object.'],
    [
      'no expectedSuffix',
      { type: 'replace_suffix', replacement: [] },
      'op',
      'transaction.expectedSuffix must be an array of items.',
    ],
    [
      'no replacement',
      { type: 'replace_suffix', expectedSuffix: [] },
      'op',
      'transaction.replacement must be an array of items.',
    ],
    [
      'a value that JSON cannot hold',
      append({ at: new Date(0) }),
      'op',
      /^transaction\.items\[0\]\.<field 1> is a Date/,
    ],
  ])('refuses %s', async (_name, transaction, operationId, message) => {
    await expect(prepare(transaction, operationId)).rejects.toThrow(memoryError('INVALID_ARGUMENT', message));
  });

  it('refuses a call without arguments', async () => {
    await expect(prepareTransaction(undefined as never)).rejects.toThrow(
      memoryError('INVALID_ARGUMENT', '`arguments` must be an object.'),
    );
  });

  it('refuses an item that is too large', async () => {
    await expect(prepare(append({ a: 'x'.repeat(16 * 1024 * 1024) }))).rejects.toThrow(
      memoryError('TOO_LARGE', /^transaction\.items\[0\] is over 16 MiB/),
    );
  });
});

describe('wasApplied', () => {
  it('distinguishes a first use, a retry, and a reuse of the id', async () => {
    const change = await prepare(append({ a: 1 }));
    expect(wasApplied(change, undefined)).toBe(false);
    expect(wasApplied(change, change.digest)).toBe(true);
    expect(() => wasApplied(change, 'another')).toThrow(
      memoryError(
        'CONFLICT',
        'This operationId was already used for another transaction. Reuse an id only to retry the same transaction.',
      ),
    );
  });
});

describe('expectSuffix', () => {
  const change = (...expectedSuffix: string[]) => ({ expectedSuffix }) as unknown as HistoryChange;

  it('compares items as JSON, in order and completely', () => {
    expect(() => expectSuffix(change(), [])).not.toThrow();
    expect(() => expectSuffix(change('{"a":1,"b":2}', '{}'), ['{"b":2,"a":1}', '{}'])).not.toThrow();
    const conflict = memoryError(
      'CONFLICT',
      'The history does not end with `expectedSuffix`, because another writer changed it. Read it again.',
    );
    for (const tail of [[], ['{"a":1}'], ['{}', '{"a":1}'], ['{"a":1}', '{}', '{}'], ['{"a":1}', '{"b":1}']]) {
      expect(() => expectSuffix(change('{"a":1}', '{}'), tail)).toThrow(conflict);
    }
  });
});

describe('mutations', () => {
  const call = (callId: string, name = 'search') => ({ type: 'function_call', callId, name });
  const result = (callId: string) => ({ type: 'function_call_result', callId });
  const texts = (...items: object[]) => items.map((item) => JSON.stringify(item));
  const replace = (callId: string, replacement: object): SessionHistoryMutation<object> => ({
    type: 'replace_function_call',
    callId,
    replacement,
  });
  const mutate = (items: readonly string[], ...mutations: SessionHistoryMutation<object>[]) =>
    replaceFunctionCalls(items, prepareMutations({ mutations }), (item) => JSON.parse(item));

  it('replace the first call with the id, remove later ones, and keep everything else', () => {
    const items = texts(call('c1'), call('c2'), result('c1'), call('c1', 'again'), { role: 'user', content: 'c1' });
    expect(mutate(items, replace('c1', call('c1', 'safe')))).toEqual([
      ...texts(call('c1', 'safe'), call('c2'), result('c1')),
      undefined,
      ...texts({ role: 'user', content: 'c1' }),
    ]);
  });

  it('change nothing if no call has the id', () => {
    const items = texts(call('c1'), { type: 'computer_call', callId: 'c2' }, { callId: 'c2', nested: call('c2') });
    const mutated = mutate(items, replace('c2', call('c2')), replace('c3', call('c3')));
    expect(mutated).toEqual(items);
    expect(mutate(items)).toEqual(items);
  });

  it('are applied one after the other', () => {
    expect(mutate(texts(call('a')), replace('a', call('b')), replace('b', call('c')))).toEqual(texts(call('c')));
  });

  it('find call ids that JSON escapes', () => {
    for (const callId of ['"', '\\', '\n', '\0', '\ud800', '__proto__', '😀', '']) {
      expect(mutate(texts(call(callId)), replace(callId, {})), JSON.stringify(callId)).toEqual(['{}']);
    }
  });

  it.each([
    ['not an array', 'x', 'mutations must be an array.'],
    [
      'an unknown type',
      [{ type: 'drop', callId: 'c', replacement: {} }],
      "mutations[0] must be { type: 'replace_function_call', callId, replacement }, with a string as callId.",
    ],
    [
      'no callId',
      [replace('c', {}), { type: 'replace_function_call', replacement: {} }],
      "mutations[1] must be { type: 'replace_function_call', callId, replacement }, with a string as callId.",
    ],
    ['null', [null], '`mutations[0]` must be an object.'],
    [
      'an unknown field',
      [{ ...replace('c', {}), callid: 'd' }],
      'Unknown option `callid` in `mutations[0]`. Did you mean `callId`?',
    ],
    [
      'no replacement',
      [{ type: 'replace_function_call', callId: 'c' }],
      'mutations[0].replacement must be a JSON object.',
    ],
  ])('are refused if invalid: %s', (_name, mutations, message) => {
    expect(() => prepareMutations({ mutations: mutations as SessionHistoryMutation<object>[] })).toThrow(
      memoryError('INVALID_ARGUMENT', message),
    );
  });
});
