import assert from 'node:assert/strict';
import { isMemoryError, type MemoryRecord, type RecordStore, type StoreCapabilities } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import fc from 'fast-check';
import { countsBelow, foundIds, listAll, type RecordStoreCases } from './helpers.ts';

interface Known {
  readonly content: string;
  readonly version: number;
}

/** The expected records of a store, in order of creation. */
class Model extends Map<string, Known> {
  /** By id, the versions that its records have had. */
  readonly versions = new Map<string, number[]>();
}

/** One step of a history, on the store and on the model alike. */
type Command = (store: RecordStore, model: Model) => Promise<void>;

const id = fc.constantFrom('a', 'b', 'a*', '__proto__');
const text = fc.constantFrom('heron one', 'heron two', 'heron three');

function remember(model: Model, record: MemoryRecord, content: string): void {
  const { id, version } = record;
  const [before, versions] = [model.get(id), model.versions.get(id) ?? []];
  assert.equal(record.content, content);
  if (before === undefined) assert.equal(putCount(version), 1);
  else assert.equal(version, before.version + 1);
  assert.ok(!versions.includes(version), `Version ${version} has come again`);
  model.versions.set(id, [...versions, version]);
  model.set(id, { content, version });
}

const put = fc.record({ id, content: text }).map(
  (input): Command =>
    async (store, model) => {
      remember(model, await store.put(input), input.content);
    },
);

const wanted = fc.constantFrom('missing', 'current', 'next', 'first');

const putIf = fc.record({ id, content: text, wanted }).map(
  ({ wanted, ...input }): Command =>
    async (store, model) => {
      const version = model.get(input.id)?.version ?? 0;
      const first = model.versions.get(input.id)?.[0] ?? 1;
      const ifVersion = { missing: 0, current: version, next: version + 1, first }[wanted];
      const fits = version === ifVersion;
      try {
        const record = await store.put(input, { ifVersion });
        assert.ok(fits, `Version ${ifVersion} must be a conflict`);
        remember(model, record, input.content);
      } catch (error) {
        if (fits || !isMemoryError(error, 'CONFLICT')) throw error;
      }
    },
);

const putMany = fc.array(fc.record({ id, content: text }), { maxLength: 4 }).map(
  (inputs): Command =>
    async (store, model) => {
      const records = await store.putMany(inputs);
      assert.equal(records.length, inputs.length);
      for (const [index, record] of records.entries()) remember(model, record, inputs[index]?.content ?? '');
    },
);

const remove = id.map(
  (one): Command =>
    async (store, model) => {
      assert.equal(await store.delete(one), model.delete(one));
    },
);

const add = text.map(
  (content): Command =>
    async (store, model) => {
      const record = await store.add(content);
      assert.equal(record.content, content);
      if (!model.has(record.id)) remember(model, record, content);
    },
);

const clear = fc.constant<Command>(async (store, model) => {
  assert.equal(await store.clear(), model.size);
  model.clear();
});

const history = fc.array(
  fc.oneof(
    { arbitrary: put, weight: 4 },
    { arbitrary: putIf, weight: 3 },
    { arbitrary: putMany, weight: 2 },
    { arbitrary: remove, weight: 3 },
    { arbitrary: add, weight: 2 },
    { arbitrary: clear, weight: 1 },
  ),
  { maxLength: 20, size: 'max' },
);

async function assertHolds(store: RecordStore, model: Model, { enumerate }: StoreCapabilities): Promise<void> {
  for (const [recordId, { content, version }] of model) {
    const record = await store.get(recordId);
    assert.deepEqual([record?.content, record?.version], [content, version]);
  }
  assert.deepEqual((await foundIds(store, 'heron', { maxSearchResults: 100 })).sort(), [...model.keys()].sort());
  if (!enumerate) return;
  const listed = await listAll(store, { order: 'oldest', limit: 2 });
  assert.deepEqual(
    listed.map((record) => [record.id, record.content, record.version]),
    [...model].map(([recordId, { content, version }]) => [recordId, content, version]),
  );
}

export const histories: RecordStoreCases = {
  concern: 'Histories',
  cases: [
    {
      title: 'after any history of calls, a store equals a map',
      async run(harness, capabilities) {
        let run = 0;
        const oneHistory = fc.asyncProperty(history, async (commands) => {
          const store = harness.open({ namespace: ['history', `run ${run++}`] });
          const model = new Model();
          for (const command of commands) await command(store, model);
          await assertHolds(store, model, capabilities);
        });
        await fc.assert(oneHistory, { numRuns: 25 });
      },
    },
    {
      title: 'after any history of calls in a tree, each namespace has and counts its own records',
      when: ({ enumerate }) => enumerate,
      async run(harness, capabilities) {
        const paths = [['a'], ['a', 'b'], ['a*'], ['a:b']];
        const step = fc.tuple(fc.constantFrom(...paths), fc.oneof(put, putMany, remove, add, clear));
        let run = 0;
        const oneHistory = fc.asyncProperty(fc.array(step, { maxLength: 24, size: 'max' }), async (steps) => {
          const top = harness.open({ namespace: ['tree', `run ${run++}`] });
          const models = new Map(paths.map((path) => [path, new Model()]));
          for (const [path, command] of steps) await command(top.within(path), models.get(path) as Model);
          for (const [path, model] of models) await assertHolds(top.within(path), model, capabilities);
          const expected = [...models].filter(([, model]) => model.size > 0);
          assert.deepEqual(
            [...(await countsBelow(top, 2))].sort(),
            expected.map(([path, model]) => [JSON.stringify(path), model.size]).sort(),
          );
        });
        await fc.assert(oneHistory, { numRuns: 12 });
      },
    },
  ],
};
