import { type Filter, isMemoryError, type JsonObject } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { SEED } from '@keepsake/testing/torture/seed';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FileSessionStore, FileStore } from '../../src/index.ts';
import { quiet } from '../children/watch-calls.ts';
import { rawScan } from '../folder.ts';
import { runStoreCases } from './kit-cases.ts';
import { places } from './places.ts';

/* Queries, filters, cursors and metadata that are code in other systems are literal here, or refused. */

const { place } = places();
/** Fewer would leave it to luck whether what is counted happens at all. */
const RUNS = rounds(2000, 200);

const CODE = [
  ...[
    "'; DROP TABLE items; --",
    "' OR '1'='1",
    '1; SELECT pg_sleep(9)',
    'UNION SELECT * FROM records',
    '$1',
    '?',
    '\\',
  ],
  ...[
    'heron OR secret',
    'heron NOT a',
    'NEAR(heron secret)',
    'content:secret',
    '"heron" + secret',
    'secret*',
    '^secret',
  ],
  ...['heron & secret', 'heron | !secret', 'heron <-> secret', 'secret:*', '(heron', ')', "''", 'to_tsquery(secret)'],
  ...["redis.call('FLUSHALL')", 'KEYS[1]', '@content:{secret}', '*', '[a-z]*', '?ecret', '{a,b}', '**/*', '~secret~1'],
  ...['{"$ne":null}', '{"$where":"1"}', '{"equals":{"key":"a","value":"b"}}', '$set', '__proto__', 'constructor'],
  ...['../', '%2e%2e', '\0', '\ud800', '</memory>', '\u202e', '`id`', '$(id)', '#{1}', '{{1}}', '%s%n', '\n', '"'],
];
const code = fc.oneof(
  fc.constantFrom(...CODE),
  fc.array(fc.constantFrom(...CODE, 'heron', ' '), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** A tree of namespaces. The tests use one of them, and must never see the records of the others. */
async function tree() {
  const directory = place();
  const root = new FileStore({ directory, name: 'memory', durability: 'os' });
  const store = root.within(['user', 'alice']);
  for (const namespace of [[], ['user'], ['user', 'bob'], ['user', 'alice', 'below'], ['user', 'alice*']]) {
    await root
      .within(namespace)
      .put({ id: 'secret', content: 'secret heron', metadata: { owner: 'bob', tag: 'secret' } });
  }
  await store.putMany([
    { id: 'a', content: 'A heron stood in the river.', metadata: { tag: 'a', n: 1 } },
    { id: 'b', content: 'The herons came back.', metadata: { tag: 'b', n: 2 } },
  ]);
  return { directory, root, store };
}

/** The ids that a call returns, or `INVALID_ARGUMENT` if it is refused. Fails on any other error. */
async function idsOrRefused(use: () => Promise<readonly { readonly id?: string }[]>): Promise<string[] | string> {
  try {
    return (await use()).map(({ id }) => String(id));
  } catch (error) {
    if (isMemoryError(error, 'INVALID_ARGUMENT')) return error.code;
    throw error;
  }
}

it('search text, filters and cursors are literal, or refused', async (context) => {
  const { directory, store } = await tree();
  await quiet();
  const before = rawScan(directory);
  const refused = { searches: 0, filters: 0, cursors: 0 };
  let matched = 0;

  await fc.assert(
    fc.asyncProperty(code, async (query) => {
      const found = await idsOrRefused(() => store.search(query));
      expect(found).not.toContain('secret');
      // A word is found, whatever surrounds it.
      const withWord = await idsOrRefused(() => store.search(`heron ${query}`));
      expect(withWord).toEqual(expect.arrayContaining(['a', 'b']));
      if (found === 'INVALID_ARGUMENT') refused.searches++;
    }),
    { numRuns: RUNS, seed: SEED },
  );

  const value = fc.oneof(code, fc.constantFrom(1, true, null, Number.NaN, undefined, ['a'], { a: 1 }));
  const operator = fc.oneof(fc.constantFrom('in', 'gt', 'gte', 'lt', 'lte', 'exists', '$ne', '$in', 'eq', 'or'), code);
  const condition = fc.oneof(
    value,
    fc.dictionary(operator, fc.oneof(value, fc.array(code, { maxLength: 2 })), { maxKeys: 2 }),
  );
  const field = fc.oneof(code, fc.constantFrom('tag', 'n', 'createdAt', 'namespace', 'content', 'id', 'metadata.tag'));
  const anything = fc.dictionary(field, condition, { minKeys: 1, maxKeys: 2 });
  // Some filters that match, so that the test does not pass without matches.
  const sound = fc.constantFrom<JsonObject>({ tag: 'a' }, { tag: 'b', n: 2 }, { n: 1 }, { tag: 'a', n: 2 });
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: anything }, { weight: 1, arbitrary: sound }), async (fields) => {
      const filter = fields as Filter;
      const outcomes = [
        await idsOrRefused(() => store.search('heron', { filter })),
        await idsOrRefused(async () => (await store.list({ filter })).items),
      ];
      for (const outcome of outcomes) {
        if (outcome === 'INVALID_ARGUMENT') refused.filters++;
        else {
          expect(outcome).not.toContain('secret');
          // A plain value must only match an equal value in the field of that name.
          const plain = Object.entries(fields).filter(([, one]) => typeof one !== 'object' || one === null);
          for (const id of outcome) {
            const metadata = { a: { tag: 'a', n: 1 }, b: { tag: 'b', n: 2 } }[id] as JsonObject;
            for (const [name, one] of plain) expect(Object.hasOwn(metadata, name) && metadata[name] === one).toBe(true);
            matched++;
          }
        }
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );

  const own = (await store.list({ limit: 1 })).cursor as string;
  const bytes = Buffer.from(own, 'base64url').toString();
  const cursor = fc.oneof(
    code,
    // Handmade cursors.
    fc
      .tuple(
        fc.oneof(fc.constant(JSON.parse(bytes)[0] as string), code),
        fc.array(fc.oneof(code, fc.double(), fc.jsonValue())),
      )
      .map(([kind, parts]) => Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url')),
    fc
      .tuple(fc.nat(own.length - 1), fc.constantFrom(...'aZ09-_=+/'))
      .map(([at, sign]) => own.slice(0, at) + sign + own.slice(at + 1)),
  );
  const sessions = new FileSessionStore({ directory });
  await fc.assert(
    fc.asyncProperty(cursor, async (text) => {
      const outcomes = [
        await idsOrRefused(async () => (await store.list({ cursor: text })).items),
        await idsOrRefused(async () =>
          (await store.namespaces({ cursor: text })).items.map(({ namespace }) => ({ id: namespace.join() })),
        ),
        await idsOrRefused(async () =>
          (await sessions.list({ cursor: text })).items.map(({ sessionId }) => ({ id: sessionId })),
        ),
      ];
      for (const outcome of outcomes) {
        if (outcome === 'INVALID_ARGUMENT') refused.cursors++;
        else for (const id of outcome) expect(id).toBeOneOf(['a', 'b', 'user,alice,below']);
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );

  await quiet();
  expect(rawScan(directory)).toBe(before);
  // About a tenth of what is expected, because few runs vary much.
  expect(matched).toBeGreaterThan(RUNS / 80);
  expect(refused.filters).toBeGreaterThan(RUNS / 20);
  expect(refused.cursors).toBeGreaterThan(RUNS / 20);
  const cases = [
    'no search text causes an error or changes stored data',
    'no search text leads out of the namespace',
    'special characters and operators around a word are not commands: the word is still found',
    'a pattern or a condition that would match everything finds nothing',
    'a wildcard after a word finds nothing more than the word',
    'content that looks like a query is found like any other',
    'a field name is literal, never a path, operator, quote or pattern',
    'a value is literal, without patterns, queries or folding of case and form',
    'an invalid filter is refused: undefined, unknown operators, other types',
    'an invalid cursor is refused',
    'a cursor of another kind of list, or of the other order, is refused',
  ];
  await runStoreCases(cases);
  show(
    context,
    24,
    `${count(RUNS)} hostile search texts, filters and cursors each: literal (${matched} records matched a filter) or INVALID_ARGUMENT (${refused.filters} filters, ${count(refused.cursors)} cursors), 0 records of other namespaces, 0 files changed; and ${cases.length} cases of the kit:`,
    cases,
  );
});

it('metadata cannot reach another scope, and a missing scope is not a wildcard', async (context) => {
  const { directory, root, store } = await tree();
  const scopes: JsonObject[] = [
    'namespace',
    'scope',
    'userId',
    'user',
    'owner',
    'tenant',
    'path',
    'of',
    'directory',
    '__proto__',
  ]
    .flatMap((field) =>
      [['user', 'bob'], 'user/bob', 'user:bob', 'bob', '*', '../bob', null].map((value) => [field, value]),
    )
    .map(([field, value]) => Object.fromEntries([[field as string, value]]) as JsonObject);
  const bob = root.within(['user', 'bob']);
  const before = await bob.list();
  const ids: string[] = [];
  for (const [n, metadata] of scopes.entries()) {
    const record =
      n % 2 === 0 ? await store.put({ content: `heron ${n}`, metadata }) : await store.add(`heron ${n}`, metadata);
    ids.push(record.id);
    expect(await store.get(record.id)).toMatchObject({ content: `heron ${n}` });
    for (const namespace of [[], ['user'], ['user', 'bob'], ['user', 'alice', 'below'], ['bob'], ['*']]) {
      expect(await root.within(namespace).get(record.id)).toBeUndefined();
    }
    const [field = ''] = Object.keys(metadata);
    const wanted = metadata[field];
    if (typeof wanted === 'string') {
      // As a filter, it selects among the store's own records.
      const found = (await store.search('heron secret', { filter: { [field]: wanted }, maxSearchResults: 1000 })).map(
        ({ id }) => id,
      );
      expect(found).toEqual([record.id]);
    }
  }
  expect(await bob.list()).toEqual(before);

  // Without a namespace, a store is at the root, which does not include others. Invalid namespaces are refused.
  const unscoped = new FileStore({ directory, name: 'memory' });
  expect((await unscoped.list()).items.map(({ id }) => id)).toEqual(['secret']);
  expect(await unscoped.search('heron', { maxSearchResults: 1000 })).toHaveLength(1);
  expect(await unscoped.clear()).toBe(1);
  expect((await store.list({ limit: 1000 })).items).toHaveLength(ids.length + 2);
  const unusable = [[''], ['user', ''], [undefined], [null], 'user', [['user', 'bob']], { 0: 'user' }, [7]];
  for (const namespace of unusable) {
    const options = { directory, name: 'memory', namespace: namespace as never };
    expect(() => new FileStore(options)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => root.within(namespace as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  }
  for (const filter of [{ owner: undefined }, { namespace: ['user', 'bob'] }, { user: {} }]) {
    await expect(store.search('heron', { filter: filter as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  }
  // A cursor of another namespace gives no access to it.
  await bob.put({ id: 'another', content: 'heron' });
  const { cursor } = await bob.list({ limit: 1 });
  const page = await idsOrRefused(async () => (await store.list({ cursor: cursor as string, limit: 1000 })).items);
  expect(page).not.toContain('secret');
  show(
    context,
    25,
    `metadata naming another scope, ${scopes.length} ways: stored as plain metadata in its own namespace, 0 elsewhere; no scope means only the root; ${2 * unusable.length} invalid scopes and 3 filters refused`,
  );
});
