import assert from 'node:assert/strict';
import { type Filter, isMemoryError, type MemoryStore } from '@keepsake/core';
import { range, refuses, SECRET } from '../record-store/helpers.ts';
import { add, foundTexts, type MemoryStoreCase, type MemoryStoreCases } from './harness.ts';

type Add = NonNullable<MemoryStore['add']>;

function whereAdds(one: MemoryStoreCase): MemoryStoreCase {
  return { ...one, when: (capabilities) => capabilities.add && (one.when?.(capabilities) ?? true) };
}

export const adding: MemoryStoreCases = {
  concern: 'Adding',
  cases: [
    {
      title: 'a store without add has no such method',
      when: (capabilities) => !capabilities.add,
      async run(harness) {
        assert.equal(harness.open().add, undefined);
      },
    },
    whereAdds({
      title: 'an added text is found unchanged, to the last character',
      async run(harness) {
        const store = harness.open();
        for (const text of ['  heron é e\u0301 💡\r\n', 'crane a\0b', '\ufeffstork "\'\\ {{x}}\u2028']) {
          await add(harness, store, text);
          assert.equal((await foundTexts(harness.open(), text))[0], text);
        }
      },
    }),
    whereAdds({
      title: 'adding a text again leaves one entry, so that a write can be retried',
      async run(harness) {
        for (const store of [harness.open(), harness.open()]) {
          await add(harness, store, 'The heron waits', { kind: 'bird' });
          await add(harness, store, 'The heron waits', { kind: 'bird' });
        }
        assert.deepEqual(await foundTexts(harness.open(), 'heron'), ['The heron waits']);
      },
    }),
    whereAdds({
      title: 'texts added concurrently are all stored',
      async run(harness) {
        const stores = [harness.open(), harness.open()];
        const texts = range(8).map((number) => `The heron number ${number}`);
        await Promise.all(texts.map((text, index) => add(harness, stores[index % 2] as MemoryStore, text)));
        const results = await foundTexts(harness.open(), 'heron', { maxSearchResults: 100 });
        assert.deepEqual(results.sort(), texts);
      },
    }),
    whereAdds({
      title: 'blank texts are refused, and texts over 1 MiB are too large',
      async run(harness) {
        const store = harness.open();
        const put: Add = async (...args) => store.add?.(...args);
        for (const content of ['', ' \n', '\u3000', undefined, 7] as string[]) {
          await refuses('INVALID_ARGUMENT', () => put(content));
        }
        await refuses('TOO_LARGE', () => put(`heron ${SECRET.repeat(100_000)}`));
        await harness.settle?.();
        assert.deepEqual(await foundTexts(store, 'heron'), []);
      },
    }),
    whereAdds({
      title: 'changing the metadata passed to add, before or after it is done, changes nothing stored',
      when: ({ filter }) => filter,
      async run(harness) {
        const store = harness.open();
        const metadata = { user: 'Ada' };
        const adding = add(harness, store, 'The heron waits', metadata);
        metadata.user = 'Bob';
        await adding;
        assert.equal((await foundTexts(store, 'heron', { filter: { user: 'Ada' } })).length, 1);
        assert.equal((await foundTexts(store, 'heron', { filter: { user: 'Bob' } })).length, 0);
      },
    }),
    whereAdds({
      title: 'a filter is applied before ranking, so that the limit is filled with entries that pass',
      when: ({ filter }) => filter,
      async run(harness) {
        const store = harness.open();
        await add(harness, store, 'Long ago somebody told of a heron in a far land', { user: 'Ada' });
        for (const number of range(15)) await add(harness, store, `heron heron ${number}`, { user: 'Bob' });
        const results = await foundTexts(store, 'heron', { filter: { user: 'Ada' }, maxSearchResults: 1 });
        assert.deepEqual(results, ['Long ago somebody told of a heron in a far land']);
      },
    }),
    whereAdds({
      title:
        'a filter with ne returns records that its value does not match, including those without the field, or is refused',
      when: ({ filter }) => filter,
      async run(harness) {
        const store = harness.open();
        await add(harness, store, 'heron one', { user: 'Ada' });
        await add(harness, store, 'heron two', { user: 'Bob' });
        await add(harness, store, 'heron three', { other: 'Ada' });
        const results = foundTexts(store, 'heron', { filter: { user: { ne: 'Ada' } } }).catch((error: unknown) => {
          assert.ok(isMemoryError(error, 'UNSUPPORTED'), String(error));
          return ['heron two', 'heron three'];
        });
        assert.deepEqual((await results).sort(), ['heron three', 'heron two']);
      },
    }),
    whereAdds({
      title: 'an invalid filter is refused',
      when: ({ filter }) => filter,
      async run(harness) {
        const store = harness.open();
        await add(harness, store, 'heron', { user: 'Ada' });
        for (const user of [undefined, {}, [], { $ne: SECRET }, { in: [undefined] }, { gt: null }]) {
          const filter = { user } as Filter;
          await refuses('INVALID_ARGUMENT', () => store.search('heron', { filter }));
        }
      },
    }),
    whereAdds({
      title: 'a read-only store refuses every write, and nothing changes',
      async run(harness) {
        const store = harness.open({ writable: false });
        assert.equal(store.writable, false);
        const { add: put = async () => assert.fail('A store without add must be refused') } = store;
        await refuses('READ_ONLY', () => put.call(store, `heron ${SECRET}`));
        if (store.addMessages !== undefined) {
          await refuses('READ_ONLY', async () => store.addMessages?.([{ role: 'user', content: `heron ${SECRET}` }]));
        }
        await harness.settle?.();
        assert.deepEqual(await foundTexts(harness.open(), 'heron'), []);
      },
    }),
  ],
};
