import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';
import { listAll, type RecordStoreCases } from './helpers.ts';

/** Asserts that a call is refused with the nearest option. */
async function suggests(nearest: string, call: () => unknown): Promise<void> {
  await assert.rejects(
    async () => call(),
    (error: unknown) => {
      assert.ok(isMemoryError(error, 'INVALID_ARGUMENT'), `Expected INVALID_ARGUMENT, not ${String(error)}`);
      assert.match(error.message, new RegExp(`\\b${nearest}\\b`), 'An error must suggest the nearest option');
      return true;
    },
  );
}

export const unknownOptions: RecordStoreCases = {
  concern: 'Unknown options',
  cases: [
    {
      title: 'a misspelt option of a call is refused with the nearest name, and the call does nothing',
      async run(harness) {
        const store = harness.open();
        const record = await store.put({ id: 'a', content: 'A heron' });
        const messages = [{ role: 'user', content: 'Another heron' } as const];
        await suggests('maxSearchResults', () => store.search('heron', { maxSearchResult: 1 } as never));
        await suggests('ifVersion', () => store.put({ id: 'a', content: 'An egret' }, { ifversion: 0 } as never));
        await suggests('ifVersions', () =>
          store.putMany([{ id: 'a', content: 'An egret' }], { ifversion: {} } as never),
        );
        await suggests('ifVersion', () => store.delete('a', { ifversion: 7 } as never));
        await suggests('descendants', () => store.clear({ descendents: false } as never));
        await suggests('runId', () => store.addMessages(messages, { runID: 'run', sequenceNumbers: [1] } as never));
        assert.deepEqual(await store.get('a'), record);
        assert.deepEqual(
          (await store.search('heron')).map(({ id }) => id),
          ['a'],
        );
      },
    },
    {
      title: 'a misspelt option of a list is refused with the nearest name',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        await suggests('order', () => store.list({ ordre: 'oldest' } as never));
        await suggests('idPrefix', () => store.list({ idprefix: 'a' } as never));
        await suggests('segment', () => store.namespaces({ segments: 'a' } as never));
        await suggests('empty', () => store.namespaces({ emty: true } as never));
        assert.deepEqual(await listAll(store), []);
      },
    },
    {
      title: 'within accepts only an identity: no misspelt field, and no namespace',
      async run(harness) {
        const store = harness.open({ namespace: ['user', 'alice'] });
        await suggests('writable', () => store.within(['notes'], { writeable: false } as never));
        for (const name of ['namespace', 'nameSpace']) {
          await suggests('name', () => store.within(['notes'], { [name]: [] } as never));
        }
      },
    },
    {
      title: 'an option of undefined counts as missing, whatever its name',
      async run(harness) {
        const store = harness.open().within([], { nameSpace: undefined } as never);
        const options = { nameSpace: undefined } as never;
        await store.put({ id: 'a', content: 'A heron' }, options);
        assert.deepEqual(
          (await store.search('heron', options)).map(({ id }) => id),
          ['a'],
        );
        assert.equal(await store.delete('a', options), true);
      },
    },
  ],
};
