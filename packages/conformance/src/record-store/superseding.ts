import assert from 'node:assert/strict';
import { isMemoryError, type MemoryRecord, type RecordInput, type RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import {
  foundIds,
  listAll,
  onlyWhere,
  type RecordStoreCase,
  type RecordStoreCases,
  range,
  refuses,
} from './helpers.ts';

const [T2020, T2021, T2022, T2023] = [2020, 2021, 2022, 2023].map((year) => `${year}-01-01T00:00:00.000Z`) as [
  string,
  string,
  string,
  string,
];

/** Where a heron lived: in Oslo from 2020, in Bergen from 2021, in Turku from 2022. */
const LIVED: readonly RecordInput[] = [
  { id: 'oslo', content: 'The heron lives in Oslo.', createdAt: T2020 },
  { id: 'bergen', content: 'The heron lives in Bergen.', supersedes: 'oslo', validFrom: T2021 },
  { id: 'turku', content: 'The heron lives in Turku.', supersedes: 'bergen', validFrom: T2022 },
];

async function putLives(store: RecordStore): Promise<void> {
  for (const record of LIVED) await store.put(record);
}

function idsOf(records: readonly MemoryRecord[]): string[] {
  return records.map(({ id }) => id);
}

/** The ids that a list shows, oldest first. */
async function listed(store: RecordStore, options: Parameters<RecordStore['list']>[0] = {}): Promise<string[]> {
  return idsOf(await listAll(store, { ...options, order: 'oldest' }));
}

const reading: readonly RecordStoreCase[] = [
  {
    title: 'a record that supersedes another closes it, and search and list show only the new one',
    async run(harness) {
      const store = harness.open();
      await store.put({ id: 'tea', content: 'The heron drinks tea.' });
      await putLives(store);
      for (const reader of [store, harness.open()]) {
        assert.deepEqual(await listed(reader), ['tea', 'turku']);
        assert.deepEqual((await foundIds(reader, 'heron')).sort(), ['tea', 'turku']);
        const closed = (await foundIds(reader, 'Oslo Bergen')).filter((id) => ['oslo', 'bergen'].includes(id));
        assert.deepEqual(closed, [], 'Search finds no closed record');
      }
    },
  },
  {
    title: 'get returns every version by its id, with its place in the history',
    async run(harness) {
      const store = harness.open();
      const source = { speaker: 'user', kind: 'fact' } as const;
      const turn = { thread: 'talk', index: 3 };
      const input = { id: 'old', content: 'heron', metadata: { a: [1] }, createdAt: T2020, source, turn };
      const before = await store.put(input);
      const put = await store.put({ id: 'new', content: 'crane', supersedes: 'old', validFrom: T2021, source });
      assert.deepEqual(await store.get('new'), put);
      assert.deepEqual(
        [put.supersedes, put.supersededBy, put.validFrom, put.validUntil, put.source],
        ['old', undefined, T2021, undefined, source],
      );
      const { updatedAt, ...old } = (await store.get('old')) ?? assert.fail('A closed record can be read');
      const { updatedAt: _, ...was } = before;
      assert.deepEqual(old, { ...was, version: was.version + 1, index: false, supersededBy: 'new', validUntil: T2021 });
      assert.ok(updatedAt >= before.updatedAt);
    },
  },
  {
    title: 'a record without a history has no fields of one, and no source because of one',
    async run(harness) {
      const store = harness.open();
      await store.put({ id: 'one', content: 'heron' });
      await store.put({ id: 'two', content: 'crane', supersedes: 'one' });
      const [entry] = await store.search('crane');
      assert.ok(entry !== undefined && !('source' in entry) && !('supersedes' in entry));
      assert.ok(!('source' in ((await store.get('two')) ?? {})));
      await store.put({ id: 'three', content: 'egret' });
      const three = (await store.get('three')) ?? {};
      for (const field of ['supersedes', 'supersededBy', 'validFrom', 'validUntil'])
        assert.ok(!(field in three), field);
    },
  },
  {
    title: 'a successor holds from now on by default, and its predecessor until then',
    async run(harness) {
      const store = harness.open();
      const old = await store.put({ id: 'old', content: 'heron' });
      const put = await store.put({ id: 'new', content: 'crane', supersedes: 'old' });
      assert.equal((await store.get('old'))?.validUntil, put.validFrom);
      assert.ok((put.validFrom ?? '') >= old.createdAt);
      // What begins before its predecessor leaves no time for it.
      await store.put({ id: 'early', content: 'egret', supersedes: 'new', validFrom: T2020 });
      assert.equal((await store.get('new'))?.validUntil, put.validFrom);
      assert.equal((await store.get('early'))?.validFrom, T2020);
    },
  },
  {
    title: 'history returns all versions, oldest first, from the id of any of them',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      await store.put({ id: 'tea', content: 'The heron drinks tea.' });
      const versions = await store.history('bergen');
      assert.deepEqual(idsOf(versions), ['oslo', 'bergen', 'turku']);
      for (const record of versions) {
        assert.deepEqual(await store.get(record.id), record);
        assert.deepEqual(await harness.open().history(record.id), versions);
      }
      assert.deepEqual(idsOf(await store.history('tea')), ['tea']);
      assert.deepEqual(await store.history('nobody'), []);
      await refuses('INVALID_ARGUMENT', () => store.history(''));
    },
  },
  {
    title: 'get with asOf returns the version that held at that time, from the id of any of them',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      await store.put({ id: 'turku', content: 'The heron lives in Turku.', validUntil: T2023 });
      const expected = [
        ['2019-12-31T23:59:59.999Z', undefined],
        [T2020, 'oslo'],
        ['2020-12-31T23:59:59.999Z', 'oslo'],
        ['2021-01-01T01:00:00+01:00', 'bergen'],
        ['2022-06-01T00:00:00Z', 'turku'],
        [T2023, undefined],
      ] as const;
      for (const [asOf, id] of expected) {
        for (const one of ['oslo', 'bergen', 'turku']) assert.equal((await store.get(one, { asOf }))?.id, id, asOf);
      }
      assert.equal(await store.get('nobody', { asOf: T2022 }), undefined);
      for (const asOf of ['', 'yesterday', '2021-13-01T00:00:00Z', 7 as never]) {
        await refuses('INVALID_ARGUMENT', () => store.get('oslo', { asOf }));
      }
    },
  },
  {
    title: 'list with asOf lists what held at that time, on pages that are full',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      const other = { metadata: { of: 'gulls' }, createdAt: T2021 };
      await store.putMany(range(5).map((n) => ({ id: `gull ${n}`, content: `gull ${n}`, ...other })));
      const gulls = range(5).map((n) => `gull ${n}`);
      const at = async (asOf: string, limit = 100) => listed(store, { asOf, limit });
      assert.deepEqual(await at('2019-01-01T00:00:00Z'), []);
      assert.deepEqual(await at('2020-06-01T00:00:00Z'), ['oslo']);
      assert.deepEqual(await at(T2021), ['bergen', ...gulls]);
      for (const limit of [1, 2, 3, 6]) assert.deepEqual(await at(T2022, limit), ['turku', ...gulls]);
      assert.deepEqual(idsOf((await store.list({ asOf: T2022, limit: 2, order: 'oldest' })).items), [
        'turku',
        'gull 0',
      ]);
      const { items } = await store.list({ asOf: T2022, limit: 6, order: 'newest' });
      assert.deepEqual(idsOf(items), ['turku', ...gulls].toReversed());
      assert.deepEqual(await listed(store, { asOf: T2022, filter: { of: 'gulls' }, idPrefix: 'gull 3' }), ['gull 3']);
      await refuses('INVALID_ARGUMENT', () => store.list({ asOf: '2021' }));
      await refuses('INVALID_ARGUMENT', () => store.list({ asOf: T2022, history: true }));
    },
  },
  {
    title: 'list with history also lists closed records, and pages of either list end where the records end',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      await store.put({ id: 'tea', content: 'The heron drinks tea.' });
      await store.put({ id: 'ice', content: 'The heron eats ice.', supersedes: 'tea' });
      for (const limit of [1, 2, 5, 100]) {
        assert.deepEqual(await listed(store, { history: true, limit }), ['oslo', 'bergen', 'turku', 'tea', 'ice']);
        assert.deepEqual(await listed(store, { history: false, limit }), ['turku', 'ice']);
      }
      assert.equal((await store.list({ limit: 2 })).cursor, undefined);
      assert.equal((await store.list({ limit: 5, history: true })).cursor, undefined);
      await refuses('INVALID_ARGUMENT', () => store.list({ history: 'yes' as never }));
    },
  },
  {
    title: 'lists with descendants take asOf and history, too',
    async run(harness) {
      const root = harness.open();
      await putLives(root.within(['a']));
      await root.within(['b']).put({ id: 'tea', content: 'The heron drinks tea.', createdAt: T2022 });
      const descendants = true;
      assert.deepEqual(await listed(root, { descendants }), ['turku', 'tea']);
      assert.deepEqual(await listed(root, { descendants, asOf: T2021 }), ['bergen']);
      assert.deepEqual(await listed(root, { descendants, history: true }), ['oslo', 'bergen', 'turku', 'tea']);
      assert.deepEqual(
        (await root.search('heron', { descendants })).map(({ id, namespace }) => [id, namespace?.at(-1)]).sort(),
        [
          ['tea', 'b'],
          ['turku', 'a'],
        ],
      );
    },
  },
];

const closing: readonly RecordStoreCase[] = [
  {
    title: 'validUntil closes a record without a successor',
    async run(harness) {
      const store = harness.open();
      const { createdAt, version } = await store.put({ id: 'cup', content: 'The heron has a cup.', createdAt: T2020 });
      const closed = await store.put({ id: 'cup', content: 'The heron has a cup.', validUntil: T2021 });
      assert.deepEqual([closed.createdAt, closed.version, closed.validUntil], [createdAt, version + 1, T2021]);
      assert.deepEqual(await store.get('cup'), closed);
      assert.deepEqual([await listed(store), await foundIds(store, 'heron cup')], [[], []]);
      assert.equal((await store.get('cup', { asOf: T2020 }))?.id, 'cup');
      await store.put({ id: 'hat', content: 'The heron has a hat.', createdAt: T2020, validUntil: T2022 });
      assert.deepEqual([await listed(store), await listed(store, { asOf: T2021 })], [[], ['hat']]);
    },
  },
  {
    title: 'a closed record is not put again, alone or in a batch, and nothing is written',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      const before = await listAll(store, { history: true });
      const again = { id: 'oslo', content: 'The heron lives in Rome.' };
      await refuses('CONFLICT', () => store.put(again));
      const ifVersion = before.find(({ id }) => id === 'oslo')?.version;
      await refuses('CONFLICT', () => store.put(again, { ifVersion }));
      await refuses('CONFLICT', () => harness.open().put({ ...again, validUntil: T2023 }));
      await refuses('CONFLICT', () => store.putMany([{ id: 'new', content: 'heron' }, again]));
      await refuses('CONFLICT', () => store.putMany([{ ...again, validFrom: T2020 }, { content: 'heron' }]));
      assert.deepEqual(await listAll(store, { history: true }), before);
    },
  },
  {
    title: 'a record that is missing, closed or of another namespace can not be superseded',
    async run(harness) {
      const store = harness.open();
      const other = harness.open({ namespace: ['other'] });
      await putLives(store);
      const tea = await other.put({ id: 'tea', content: 'The heron drinks tea.' });
      for (const supersedes of ['nobody', 'oslo', 'bergen', 'tea']) {
        await refuses('CONFLICT', () => store.put({ id: 'new', content: 'heron', supersedes }));
        await refuses('CONFLICT', () => store.put({ content: 'heron', supersedes }));
        await refuses('CONFLICT', () =>
          store.putMany([
            { id: 'first', content: 'heron' },
            { content: 'heron', supersedes },
          ]),
        );
      }
      assert.deepEqual(await listed(store, { history: true }), ['oslo', 'bergen', 'turku']);
      assert.deepEqual(await other.get('tea'), tea);
    },
  },
  {
    title: 'the id of a successor must be free',
    async run(harness) {
      const store = harness.open();
      const put = await store.putMany(['old', 'taken'].map((id) => ({ id, content: `heron ${id}` })));
      await refuses('CONFLICT', () => store.put({ id: 'taken', content: 'crane', supersedes: 'old' }));
      assert.deepEqual(await listed(store), ['old', 'taken']);
      assert.deepEqual([await store.get('old'), await store.get('taken')], put);
    },
  },
  {
    title: 'putting a successor again replaces it, and makes no second one',
    async run(harness) {
      const store = harness.open();
      await store.put({ id: 'old', content: 'heron' });
      const input = { id: 'new', content: 'crane', supersedes: 'old' };
      const first = await store.put(input);
      const again = await harness.open().put({ ...input, content: 'egret' });
      assert.deepEqual(again, { ...first, content: 'egret', version: first.version + 1, updatedAt: again.updatedAt });
      assert.deepEqual(idsOf(await store.history('old')), ['old', 'new']);
      assert.equal(putCount((await store.get('old'))?.version ?? 0), 2);
      const next = { id: 'next', content: 'ibis', supersedes: 'new' };
      await Promise.all(range(4).map((n) => (n % 2 === 0 ? store : harness.open()).put(next)));
      assert.deepEqual(
        (await store.history('old')).map(({ id, version }) => [id, putCount(version)]),
        [
          ['old', 2],
          ['new', 3],
          ['next', 4],
        ],
      );
    },
  },
  {
    title: 'a replacement keeps what its record supersedes, and since when it holds',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      const before = (await store.get('turku')) as MemoryRecord;
      const replaced = await store.put({ id: 'turku', content: 'The heron lives near Turku.' });
      assert.deepEqual(
        [replaced.supersedes, replaced.validFrom, replaced.version],
        ['bergen', T2022, before.version + 1],
      );
      assert.deepEqual(await store.get('turku'), replaced);
      await store.putMany([{ id: 'turku', content: 'A heron lives near Turku.', source: { kind: 'fact' } }]);
      const { updatedAt, ...third } = (await store.get('turku')) as MemoryRecord;
      const { updatedAt: _, ...expected } = before;
      const content = 'A heron lives near Turku.';
      assert.deepEqual(third, { ...expected, content, version: before.version + 2, source: { kind: 'fact' } });
      assert.equal((await store.put({ id: 'turku', content: 'x', validFrom: T2023 })).validFrom, T2023);
      assert.deepEqual(idsOf(await store.history('oslo')), ['oslo', 'bergen', 'turku']);
    },
  },
  {
    title: 'ifVersion of a put with supersedes is the version of the record that it supersedes',
    async run(harness) {
      const store = harness.open();
      await store.put({ id: 'old', content: 'heron' });
      const { version } = await store.put({ id: 'old', content: 'grey heron' });
      const input = { id: 'new', content: 'crane', supersedes: 'old' };
      for (const ifVersion of [0, version - 1, version + 1])
        await refuses('CONFLICT', () => store.put(input, { ifVersion }));
      assert.deepEqual(await listed(store, { history: true }), ['old']);
      await store.put(input, { ifVersion: version });
      assert.deepEqual(await listed(store), ['new']);
    },
  },
  {
    title: 'a batch can hold a whole history',
    async run(harness) {
      const store = harness.open();
      const put = await store.putMany([{ id: 'tea', content: 'The heron drinks tea.' }, ...LIVED]);
      assert.deepEqual(idsOf(put), ['tea', 'oslo', 'bergen', 'turku']);
      for (const record of put) assert.deepEqual(await store.get(record.id), record);
      assert.deepEqual(await listed(store), ['tea', 'turku']);
      assert.deepEqual(await store.history('turku'), put.slice(1));
      const next = [
        { id: 'rome', content: 'The heron lives in Rome.', supersedes: 'turku' },
        { id: 'kyiv', content: 'The heron lives in Kyiv.', supersedes: 'rome' },
        { id: 'coffee', content: 'The heron drinks coffee.', supersedes: 'tea' },
      ];
      await store.putMany(next);
      assert.deepEqual(await listed(store), ['kyiv', 'coffee']);
      assert.deepEqual(idsOf(await store.history('oslo')), ['oslo', 'bergen', 'turku', 'rome', 'kyiv']);
    },
  },
  {
    title: 'the records of a list with history make the same histories in another store',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      await store.put({ id: 'cup', content: 'The heron has a cup.', createdAt: T2020, validUntil: T2021 });
      await store.put({ id: 'rome', content: 'The heron lives in Rome.', supersedes: 'turku', validUntil: T2023 });
      const copied = async (to: RecordStore) => {
        for (const { version, updatedAt, ...record } of await listAll(store, { history: true, order: 'oldest' })) {
          await to.put(record);
        }
        return (await listAll(to, { history: true, order: 'oldest' })).map(withoutTimes);
      };
      const all = (await listAll(store, { history: true, order: 'oldest' })).map(withoutTimes);
      assert.deepEqual(await copied(harness.open({ namespace: ['copy'] })), all);
      assert.deepEqual(await listed(harness.open({ namespace: ['copy'] })), []);
    },
  },
  {
    title: 'of many concurrent successors of one record exactly one wins, and the others change nothing',
    async run(harness) {
      const stores = [harness.open(), harness.open()] as const;
      await stores[0].put({ id: 'old', content: 'heron' });
      const outcomes = await Promise.allSettled(
        range(10).map((n) => stores[n % 2 === 0 ? 0 : 1].put({ id: `new ${n}`, content: 'crane', supersedes: 'old' })),
      );
      const won = outcomes.flatMap((outcome, n) => (outcome.status === 'fulfilled' ? [`new ${n}`] : []));
      assert.equal(won.length, 1, 'Exactly one successor wins');
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') assert.ok(isMemoryError(outcome.reason, 'CONFLICT'), String(outcome.reason));
      }
      assert.deepEqual(await listed(stores[1], { history: true }), ['old', ...won]);
      assert.equal((await stores[1].get('old'))?.supersededBy, won[0]);
    },
  },
  {
    title: 'a record can be superseded while others replace it, and none of their words is lost without a conflict',
    async run(harness) {
      const stores = [harness.open(), harness.open()] as const;
      await stores[0].put({ id: 'old', content: 'heron' });
      const [superseded, ...replaced] = await Promise.allSettled([
        stores[0].put({ id: 'new', content: 'crane', supersedes: 'old' }),
        ...range(5).map((n) => stores[n % 2 === 0 ? 0 : 1].put({ id: 'old', content: `heron ${n}` })),
      ]);
      assert.equal(superseded?.status, 'fulfilled', 'Without ifVersion, a replacement is no conflict');
      for (const outcome of replaced) {
        if (outcome.status === 'rejected') assert.ok(isMemoryError(outcome.reason, 'CONFLICT'), String(outcome.reason));
      }
      const written = replaced.filter(({ status }) => status === 'fulfilled').length;
      const [old, ...newer] = await stores[1].history('old');
      assert.deepEqual([putCount(old?.version ?? 0), old?.supersededBy, idsOf(newer)], [written + 2, 'new', ['new']]);
    },
  },
  {
    title: 'a record that is deleted and put again while another supersedes it never has its old content again',
    async run(harness) {
      const stores = [harness.open(), harness.open()] as const;
      for (const n of range(30)) {
        const [old, next] = [`old ${n}`, `new ${n}`];
        await stores[0].put({ id: old, content: 'heron' });
        const [superseded, deleted, put] = await Promise.allSettled([
          stores[0].put({ id: next, content: 'crane', supersedes: old }),
          stores[n % 2 === 0 ? 0 : 1].delete(old),
          stores[0].put({ id: old, content: 'egret' }),
        ]);
        assert.deepEqual(deleted, { status: 'fulfilled', value: true });
        for (const outcome of [superseded, put]) {
          if (outcome.status === 'rejected')
            assert.ok(isMemoryError(outcome.reason, 'CONFLICT'), String(outcome.reason));
        }
        const there = await stores[1].get(old);
        assert.notEqual(there?.content, 'heron', 'The delete was acknowledged');
        // The new text is gone only if the delete came last, and closed only by what superseded it afterwards.
        if (there === undefined || there.supersededBy === undefined) continue;
        assert.equal(superseded.status, 'fulfilled');
        assert.deepEqual(idsOf(await stores[1].history(old)), [old, next]);
      }
    },
  },
  {
    title: 'invalid times and ids of a history are refused',
    async run(harness) {
      const store = harness.open();
      await store.put({ id: 'old', content: 'heron' });
      const future = new Date(Date.now() + 86_400_000).toISOString();
      const bad: readonly object[] = [
        { supersedes: '' },
        { supersedes: 7 },
        { supersedes: null },
        { id: 'same', supersedes: 'same' },
        { validFrom: 'yesterday' },
        { validFrom: 2021 },
        { validUntil: '2021-02-30T00:00:00Z' },
        { validUntil: future },
        { validFrom: T2022, validUntil: T2021 },
        { supersededBy: 'old' },
        { validUntil: T2021, supersededBy: '' },
      ];
      for (const fields of bad) {
        const input = { content: 'heron', ...fields } as RecordInput;
        await refuses('INVALID_ARGUMENT', () => store.put(input));
        await refuses('INVALID_ARGUMENT', () => store.putMany([{ content: 'heron' }, input]));
      }
      assert.deepEqual(await listed(store, { history: true }), ['old']);
    },
  },
];

function withoutTimes({ version, updatedAt, ...record }: MemoryRecord): object {
  return record;
}

const adding: readonly RecordStoreCase[] = [
  {
    title: 'a text whose record was closed can be added again, once',
    async run(harness) {
      const store = harness.open();
      const text = 'The heron lives in Oslo.';
      const { id } = await store.add(text);
      await store.put({ id: 'bergen', content: 'The heron lives in Bergen.', supersedes: id });
      const again = await store.add(text, { told: 'twice' });
      assert.notEqual(again.id, id);
      assert.deepEqual(await harness.open().add(text, { told: 'twice' }), again);
      assert.deepEqual(await listed(store), ['bergen', again.id]);
      await store.put({ id: 'end', content: 'The heron is gone.', supersedes: again.id });
      assert.equal(new Set([id, again.id, (await store.add(text)).id]).size, 3);
    },
  },
  {
    title: 'messages that were superseded stay so when they are added again',
    async run(harness) {
      const store = harness.open();
      const talk = ['I live in Oslo.', 'I have a heron.'].map((content) => ({ role: 'user' as const, content }));
      const context = { runId: 'run', sequenceNumbers: [0, 1] };
      const [first, second] = (await store.addMessages(talk, context)) as [MemoryRecord, MemoryRecord];
      await store.put({ id: 'bergen', content: 'I live in Bergen.', supersedes: first.id });
      const again = await store.addMessages(talk, context);
      assert.deepEqual(idsOf(again), [first.id, second.id]);
      assert.equal(again[0]?.supersededBy, 'bergen');
      assert.deepEqual((await listed(store)).sort(), ['bergen', second.id].sort());
    },
  },
];

const removing: readonly RecordStoreCase[] = [
  {
    title: 'delete removes all versions, whichever id is given',
    async run(harness, { enumerate }) {
      for (const id of ['oslo', 'bergen', 'turku']) {
        const store = harness.open({ namespace: [id] });
        await putLives(store);
        await store.put({ id: 'tea', content: 'The heron drinks tea.' });
        assert.equal(await store.delete(id), true);
        assert.equal(await store.delete(id), false);
        for (const one of ['oslo', 'bergen', 'turku']) assert.equal(await store.get(one), undefined, one);
        if (enumerate) assert.deepEqual(await listed(store, { history: true }), ['tea']);
        assert.deepEqual(await foundIds(store, 'heron'), ['tea']);
      }
    },
  },
  {
    title: 'delete with alone removes one version, and the others stay',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      assert.equal(await store.delete('oslo', { alone: true }), true);
      assert.deepEqual(await listed(store, { history: true }), ['bergen', 'turku']);
      assert.deepEqual(idsOf(await store.history('turku')), ['bergen', 'turku']);
      // Another record under the id does not become part of the history.
      await store.put({ id: 'oslo', content: 'Oslo has herons.' });
      assert.deepEqual(idsOf(await store.history('turku')), ['bergen', 'turku']);
      assert.equal(await store.delete('bergen'), true);
      assert.deepEqual(await listed(store, { history: true }), ['oslo']);
    },
  },
  {
    title: 'delete with ifVersion of another version leaves the whole history',
    async run(harness) {
      const store = harness.open();
      await putLives(store);
      const versionOf = async (id: string) => (await store.get(id))?.version as number;
      await refuses('CONFLICT', async () => store.delete('turku', { ifVersion: (await versionOf('turku')) + 1 }));
      await refuses('CONFLICT', async () => store.delete('oslo', { ifVersion: (await versionOf('oslo')) - 1 }));
      assert.deepEqual(idsOf(await store.history('oslo')), ['oslo', 'bergen', 'turku']);
      assert.equal(await store.delete('oslo', { ifVersion: await versionOf('oslo') }), true);
      assert.deepEqual(await listed(store, { history: true }), []);
    },
  },
  {
    title: 'of many concurrent deletes of a history, one removes it',
    async run(harness) {
      const stores = [harness.open(), harness.open()] as const;
      await putLives(stores[0]);
      const deleted = await Promise.all(range(10).map((n) => stores[n % 2 === 0 ? 0 : 1].delete('bergen')));
      assert.equal(deleted.filter(Boolean).length, 1);
      assert.deepEqual(await listed(stores[0], { history: true }), []);
    },
  },
  {
    title: 'clear removes closed records, too, and counts them',
    async run(harness) {
      const store = harness.open({ namespace: ['a'] });
      await putLives(store);
      assert.equal(await store.clear(), 3);
      assert.deepEqual(await listed(store, { history: true }), []);
      for (const { id } of LIVED) assert.equal(await store.get(id as string), undefined);
    },
  },
  {
    title: 'an expired successor does not revive what it superseded',
    when: ({ ttl }) => ttl,
    async run(harness) {
      const store = harness.open();
      await store.put({ id: 'old', content: 'heron' });
      await store.put({ id: 'new', content: 'crane', supersedes: 'old', ttlMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, 30));
      assert.deepEqual([await listed(store), await foundIds(store, 'heron')], [[], []]);
      assert.deepEqual(idsOf(await store.history('old')), ['old']);
      assert.equal(await store.delete('old'), true);
      assert.deepEqual(await listed(store, { history: true }), []);
    },
  },
  {
    title: 'the time to live of a record goes on when it is superseded',
    when: ({ ttl }) => ttl,
    async run(harness) {
      const store = harness.open();
      const old = await store.put({ id: 'old', content: 'heron', ttlMs: 3_600_000 });
      await store.put({ id: 'new', content: 'crane', supersedes: 'old' });
      const left = Date.parse((await store.get('old'))?.expiresAt ?? '') - Date.parse(old.expiresAt as string);
      assert.ok(Math.abs(left) < 60_000, `It expires ${left} ms later`);
    },
  },
];

export const superseding: RecordStoreCases = {
  concern: 'Superseding',
  cases: [
    ...onlyWhere(({ history }) => history, [...reading, ...closing, ...adding, ...removing]),
    {
      title: 'a store without histories refuses supersedes, validFrom, validUntil, asOf and history',
      when: ({ history }) => !history,
      async run(harness, { enumerate }) {
        const store = harness.open();
        await store.put({ id: 'old', content: 'heron' });
        for (const fields of [{ supersedes: 'old' }, { validFrom: T2020 }, { validUntil: T2020 }]) {
          await refuses('UNSUPPORTED', () => store.put({ id: 'new', content: 'heron', ...fields }));
          await refuses('UNSUPPORTED', () => store.putMany([{ id: 'new', content: 'heron', ...fields }]));
        }
        await refuses('UNSUPPORTED', () => store.get('old', { asOf: T2020 }));
        await refuses('UNSUPPORTED', () => store.history('old'));
        assert.equal(await store.get('new'), undefined);
        if (!enumerate) return;
        await refuses('UNSUPPORTED', () => store.list({ asOf: T2020 }));
        assert.deepEqual(await listed(store, { history: true }), ['old']);
      },
    },
  ],
};
