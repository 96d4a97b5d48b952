import assert from 'node:assert/strict';
import { isMemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { heldIds, type RecordStoreCases, refuses, SECRET } from './helpers.ts';
import { HOSTILE_NAMES, TWINS } from './hostile.ts';

const badIds: readonly unknown[] = ['', 'x'.repeat(513), 'a\0b', '\ud800', 'a\udc00', 7, null, {}, ['one']];

/** Gets a record by an invalid id, which a store can also refuse. */
async function getOrRefuse(store: RecordStore, id: unknown): Promise<MemoryRecord | undefined> {
  try {
    return await store.get(id as string);
  } catch (error) {
    assert.ok(isMemoryError(error, 'INVALID_ARGUMENT'), String(error));
    return undefined;
  }
}

export const ids: RecordStoreCases = {
  concern: 'Ids',
  cases: [
    {
      title: 'get returns undefined for a missing id',
      async run(harness) {
        const store = harness.open();
        assert.equal(await store.get('one'), undefined);
        await store.put({ id: 'one', content: 'heron' });
        assert.equal(await store.get('two'), undefined);
        assert.equal(await store.get('on'), undefined);
        assert.equal(await store.get('one1'), undefined);
      },
    },
    {
      title: 'an id is literal, never a pattern, path, query or encoding',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const [index, id] of HOSTILE_NAMES.entries()) await store.put({ id, content: `heron ${index}` });
        for (const [index, id] of HOSTILE_NAMES.entries()) {
          const record = await store.get(id);
          assert.deepEqual([record?.id, record?.content, putCount(record?.version ?? 0)], [id, `heron ${index}`, 1]);
        }
        assert.deepEqual(await heldIds(store, capabilities), [...HOSTILE_NAMES].sort());
      },
    },
    {
      title: 'deleting an id that looks like a pattern removes only that record',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const id of ['ab', 'abc', 'a*', '*', '%', 'a_']) await store.put({ id, content: 'heron' });
        for (const id of ['a*', '*', '%', 'a_']) assert.equal(await store.delete(id), true);
        assert.deepEqual(await heldIds(store, capabilities), ['ab', 'abc']);
      },
    },
    {
      title: 'ids that differ in case, Unicode form or a character are different records',
      async run(harness) {
        for (const [index, [a, b]] of TWINS.entries()) {
          const store = harness.open({ namespace: [`pair ${index}`] });
          await store.put({ id: a, content: 'heron' });
          assert.equal(await store.get(b), undefined, `${a} and ${b}`);
          assert.equal(putCount((await store.put({ id: b, content: 'crane' })).version), 1);
          assert.equal((await store.get(a))?.content, 'heron');
          assert.equal(await store.delete(b), true);
          assert.equal((await store.get(a))?.content, 'heron');
        }
      },
    },
    {
      title: 'the names of object fields are ordinary ids',
      async run(harness) {
        const store = harness.open();
        for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'size']) {
          assert.equal(await store.get(id), undefined);
          assert.equal(await store.delete(id), false);
          assert.equal(putCount((await store.put({ id, content: 'heron' })).version), 1);
          assert.equal((await store.get(id))?.content, 'heron');
        }
        assert.equal(({} as Record<string, unknown>).content, undefined);
      },
    },
    {
      title: 'an id can have 512 characters',
      async run(harness) {
        const store = harness.open();
        for (const character of ['x', '語', '/']) {
          const id = character.repeat(511);
          await store.put({ id: `${id}1`, content: 'heron 1' });
          await store.put({ id: `${id}2`, content: 'heron 2' });
          assert.equal((await store.get(`${id}1`))?.content, 'heron 1');
          assert.equal((await store.get(`${id}2`))?.id, `${id}2`);
        }
      },
    },
    {
      title: 'an id that is empty, too long, invalid Unicode or not a string is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const id of badIds) {
          await refuses('INVALID_ARGUMENT', () => store.put({ id: id as string, content: `heron ${SECRET}` }));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'get returns nothing for an invalid id',
      async run(harness) {
        const store = harness.open();
        for (const id of ['undefined', 'null', '7', '[object Object]', 'one', 'a']) {
          await store.put({ id, content: 'heron' });
        }
        for (const id of [...badIds, undefined]) assert.equal(await getOrRefuse(store, id), undefined);
      },
    },
  ],
};
