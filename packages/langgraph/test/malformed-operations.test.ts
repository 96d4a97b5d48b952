import { InMemoryStore } from '@keepsake/in-memory';
import {
  InvalidNamespaceError,
  InMemoryStore as LangGraphStore,
  type Operation,
} from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { KeepsakeStore } from '../src/index.ts';
import { CallerError, fail, shifting, throwing, throwingProxy } from './support/strange-values.ts';

const ITEM = { namespace: ['users', 'alice'], key: 'tea', value: { text: 'Likes green tea' } };

async function filled() {
  const records = new InMemoryStore({ name: 'memory' });
  const store = new KeepsakeStore({ store: records });
  await store.batch([ITEM, { namespace: ['users', 'bob'], key: 'tea', value: { text: 'Likes black tea' } }]);
  const all = async () => (await records.list({ descendants: true, order: 'oldest' })).items;
  return { store, before: await all(), all };
}

/** What comes before and after the malformed operation: none of it may be applied. */
const around = (operation: unknown): Operation[] => [
  { namespace: ['users', 'alice'], key: 'milk', value: { text: 'No milk' } },
  operation as Operation,
  { namespace: ['users', 'bob'], key: 'tea', value: null },
];

const search = (fields: object) => ({ namespacePrefix: ['users'], ...fields });
const list = (fields: object) => ({ matchConditions: [], limit: 10, offset: 0, ...fields });
const put = (fields: object) => ({ ...ITEM, ...fields });
const cycle: unknown[] = [];
cycle.push(cycle);

const MALFORMED: readonly (readonly [title: string, operation: unknown, words: string])[] = [
  ['null', null, '`operations[1]` must be an object'],
  ['undefined', undefined, '`operations[1]` must be an object'],
  ['a number', 7, '`operations[1]` must be an object'],
  ['a text', 'put', '`operations[1]` must be an object'],
  ['an array', [ITEM], '`operations[1]` must be an object'],
  ['a function', fail, '`operations[1]` must be an object'],
  ['a proxy that throws', throwingProxy(ITEM), '`operations[1]` throws an error'],
  ['a getter that throws', throwing(ITEM, 'key'), '`operations[1]` throws an error'],
  ['an unknown field', search({ filters: { text: 'x' } }), 'Did you mean `filter`?'],
  ['fields of two operations', { ...ITEM, namespacePrefix: [] }, 'Unknown option `namespacePrefix` in `operations[1]`'],
  ['a get without a key', { namespace: ['users'] }, '`operations[1].key` is not a string'],
  ['a get without a namespace', { key: 'tea' }, '`operations[1].namespace` must be an array'],
  ['a namespace that is a text', put({ namespace: 'users' }), '`operations[1].namespace` must be an array'],
  ['a namespace that is null', put({ namespace: null }), '`operations[1].namespace` must be an array'],
  [
    'a namespace like an array',
    put({ namespace: { length: 1, 0: 'a' } }),
    '`operations[1].namespace` must be an array',
  ],
  ['a namespace that throws', put({ namespace: throwing(['a', 'b'], 1) }), '`operations[1].namespace[1]` throws'],
  [
    'a label of 257 characters',
    put({ namespace: ['a', 'x'.repeat(257)] }),
    '`operations[1].namespace[1]` must be at most',
  ],
  ['a lone surrogate in a label', put({ namespace: ['\ud800'] }), '`operations[1].namespace[0]` must have no lone'],
  ['a key that is a number', put({ key: 1 }), '`operations[1].key` is not a string'],
  ['a key that is a symbol', put({ key: Symbol('k') }), '`operations[1].key` is not a string'],
  ['a value that is undefined', put({ value: undefined }), '`operations[1].value` must be an object, or `null`'],
  ['a value that is a text', put({ value: 'tea' }), '`operations[1].value` must be an object, or `null`'],
  ['a value that throws', put({ value: throwing({ a: 1 }, 'b') }), 'operations[1].value throws'],
  ['a value with a cycle', put({ value: { cycle } }), 'operations[1].value.<field 1>[0] is a reference'],
  ['an index that is true', put({ index: true }), '`operations[1].index` must be an array'],
  ['an index of numbers', put({ index: [1] }), '`operations[1].index[0]` must be a path'],
  ['a path of a megabyte', put({ index: ['{'.repeat(2 ** 20)] }), '`operations[1].index[0]` must be at most 1000'],
  ['a lifetime of 2,000 years', put({ ttlMs: 2_000 * 365 * 24 * 3_600_000 }), '`ttlMs` must be a whole number'],
  ['a lifetime that is a text', put({ ttlMs: '1' }), '`ttlMs` must be a whole number'],
  ['a `refreshTtl` that is a text', { ...ITEM, value: undefined, refreshTtl: 'no' }, 'Unknown option `refreshTtl`'],
  [
    'a search whose `refreshTtl` is a text',
    search({ refreshTtl: 'no' }),
    '`operations[1].refreshTtl` must be a boolean',
  ],
  ['a prefix that is a text', search({ namespacePrefix: 'users' }), '`operations[1].namespacePrefix` must be an array'],
  ['a query that is an object', search({ query: {} }), '`operations[1].query` must be a string'],
  ['a limit that is NaN', search({ limit: Number.NaN }), '`operations[1].limit` must be a whole number'],
  ['a limit that is a text', search({ limit: '3' }), '`operations[1].limit` must be a whole number'],
  ['a limit that is null', search({ limit: null }), '`operations[1].limit` must be a whole number'],
  ['an offset that is infinite', search({ offset: Infinity }), '`operations[1].offset` must be a whole number'],
  ['an offset that is a symbol', search({ offset: Symbol('o') }), '`operations[1].offset` must be a whole number'],
  ['a filter that is a text', search({ filter: 'tea' }), '`operations[1].filter` must be an object'],
  ['a filter that is a list', search({ filter: [] }), '`operations[1].filter` must be an object'],
  ['a filter that is a Map', search({ filter: new Map([['text', 'tea']]) }), 'operations[1].filter is a Map'],
  ['a filter that throws', search({ filter: throwing({}, 'text') }), '`operations[1].filter` throws'],
  ['a filter by undefined', search({ filter: { text: undefined } }), '`operations[1].filter.text` is undefined'],
  [
    'an unknown operator',
    search({ filter: { alice_diagnosis_hiv: { $like: 'a' } } }),
    '`operations[1].filter.<field 1>` has an unknown operator',
  ],
  ['an operator with undefined', search({ filter: { text: { $eq: undefined } } }), 'operator $eq, is undefined'],
  ['a list with undefined', search({ filter: { text: { $in: [undefined] } } }), 'operator $in, is undefined'],
  ['a comparison with a symbol', search({ filter: { n: { $gt: Symbol('n') } } }), 'operator $gt, is a symbol'],
  ['a filter by a function', search({ filter: { n: fail } }), 'is a function'],
  ['a depth that is a text', list({ maxDepth: '2' }), '`operations[1].maxDepth` must be a whole number'],
  ['conditions that are null', list({ matchConditions: null }), '`operations[1].matchConditions` must be an array'],
  [
    'a condition that is null',
    list({ matchConditions: [null] }),
    '`operations[1].matchConditions[0]` must be an object',
  ],
  [
    'a condition without a path',
    list({ matchConditions: [{ matchType: 'prefix' }] }),
    '`operations[1].matchConditions[0].path` must be an array',
  ],
  [
    'a condition with a path of numbers',
    list({ matchConditions: [{ matchType: 'suffix', path: ['users', 1] }] }),
    '`operations[1].matchConditions[0].path[1]` must be a label',
  ],
];

describe('a batch with a malformed operation', () => {
  it.each(MALFORMED)(
    'that is or has %s is refused with its place, and nothing is applied',
    async (_, operation, words) => {
      const { store, before, all } = await filled();
      await expect(store.batch(around(operation))).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(words),
      });
      expect(await all()).toEqual(before);
    },
  );

  it.each<[string, unknown]>([
    ['a number', ['users', 1]],
    ['null', ['users', null]],
    ['undefined', [undefined]],
    ['a function', ['users', fail]],
    ['an array', [['users']]],
    ['an object without a text', ['users', { toString: 1 }]],
    ['a symbol', [Symbol('users')]],
    ['an empty label', ['users', '']],
    ['a label with a period', ['a.b']],
  ])(
    'whose namespace has %s for a label throws the class of LangGraph, and nothing is applied',
    async (_, namespace) => {
      const { store, before, all } = await filled();
      for (const operation of [put({ namespace }), { namespace, key: 'k' }, search({ namespacePrefix: namespace })]) {
        await expect(store.batch(around(operation))).rejects.toThrow(InvalidNamespaceError);
      }
      expect(await all()).toEqual(before);
      // For a label without a text, the error of LangGraph is an accident.
      await expect(new LangGraphStore().put(namespace as string[], 'k', {})).rejects.toThrow(/namespace|convert/i);
    },
  );

  it.each<[string, unknown, string]>([
    ['null', null, '`operations` must be an array'],
    ['undefined', undefined, '`operations` must be an array'],
    ['an operation', ITEM, '`operations` must be an array'],
    ['an object like an array', { length: 1, 0: ITEM }, '`operations` must be an array'],
    ['a proxy that throws', throwingProxy([ITEM]), '`operations` throws an error'],
    ['a list whose element throws', throwing([ITEM], 0), '`operations[0]` throws an error'],
  ])('or that is %s is refused', async (_, operations, words) => {
    const { store, before, all } = await filled();
    await expect(store.batch(operations as Operation[])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(words),
    });
    expect(await all()).toEqual(before);
  });

  it('has the error of the caller as the cause', async () => {
    const { store } = await filled();
    const batch = store.batch([throwing(ITEM, 'value')]);
    await expect(batch).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', cause: expect.any(CallerError) });
  });
});

it('each part of an operation is read once: what it answers later changes nothing', async () => {
  const { store } = await filled();
  const value = shifting({ text: 'Likes mate' }, Symbol('later'));
  const shifted = shifting({ ...ITEM, namespace: shifting(['users', 'carol'], 1), value }, null);
  await store.batch([shifted]);
  expect((await store.get(['users', 'carol'], 'tea'))?.value).toEqual({ text: 'Likes mate' });
  const filter = shifting({ text: 'Likes mate' }, undefined);
  expect(await store.batch([shifting({ namespacePrefix: ['users'], filter }, 0)])).toMatchObject([
    [{ namespace: ['users', 'carol'] }],
  ]);
});

it('a batch does not change with its operations while it is applied', async () => {
  const { store } = await filled();
  const [namespace, value] = [['users', 'alice'], { text: 'before' }];
  const running = store.batch([{ namespacePrefix: ['users'] }, { namespace, key: 'note', value }]);
  namespace[1] = 'bob';
  value.text = 'after';
  await running;
  expect((await store.get(['users', 'alice'], 'note'))?.value).toEqual({ text: 'before' });
  expect(await store.get(['users', 'bob'], 'note')).toBeNull();
});

it.each<[string, (store: KeepsakeStore) => Promise<unknown>, string]>([
  ['get', (store) => store.get(null as never, 'k'), '`namespace` must be an array'],
  ['get', (store) => store.get(['a'], null as never), '`key` is not a string'],
  ['put', (store) => store.put('users' as never, 'k', {}), '`namespace` must be an array'],
  ['put', (store) => store.put(['a'], 'k', undefined as never), '`value` must be an object'],
  ['put', (store) => store.put(['a'], 'k', {}, 'text' as never), '`index` must be an array'],
  ['delete', (store) => store.delete(null as never, 'k'), '`namespace` must be an array'],
  ['delete', (store) => store.delete(['a'], {} as never), '`key` is not a string'],
  ['search', (store) => store.search(undefined as never), '`namespacePrefix` must be an array'],
  ['search', (store) => store.search(['a'], { filter: 7 as never }), '`filter` must be an object'],
  ['search', (store) => store.search(['a'], null as never), 'The options must be an object'],
  ['listNamespaces', (store) => store.listNamespaces({ prefix: 'users' as never }), '`prefix` must be an array'],
  ['listNamespaces', (store) => store.listNamespaces({ suffixes: [] } as never), 'Did you mean `suffix`?'],
  ['listNamespaces', (store) => store.listNamespaces({ limit: '1' as never }), '`limit` must be a whole number'],
])('%s names the argument that is malformed', async (_, call, words) => {
  const { store, before, all } = await filled();
  await expect(call(store)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(words),
  });
  expect(await all()).toEqual(before);
});
