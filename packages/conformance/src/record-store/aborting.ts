import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';
import { heldIds, type RecordStoreCases, range, refuses, SECRET } from './helpers.ts';

export const aborting: RecordStoreCases = {
  concern: 'Aborting',
  cases: [
    {
      title: 'a put with an aborted signal writes nothing',
      async run(harness, capabilities) {
        const store = harness.open();
        const signal = AbortSignal.abort(new Error(SECRET));
        await refuses('ABORTED', () => store.put({ id: 'one', content: `heron ${SECRET}` }, { signal }));
        assert.equal(await store.get('one'), undefined);
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'a put with an aborted signal replaces nothing',
      async run(harness) {
        const store = harness.open();
        const record = await store.put({ id: 'one', content: 'heron' });
        const signal = AbortSignal.abort();
        await refuses('ABORTED', () => store.put({ id: 'one', content: 'crane' }, { signal, ifVersion: 1 }));
        assert.deepEqual(await store.get('one'), record);
      },
    },
    {
      title: 'a put aborted in flight is either done, or aborted and not written',
      async run(harness) {
        const store = harness.open();
        for (const number of [0, 1, 2, 3, 4]) {
          const id = `record ${number}`;
          const controller = new AbortController();
          const put = store.put({ id, content: 'heron' }, { signal: controller.signal });
          for (let turn = 0; turn < number; turn++) await Promise.resolve();
          controller.abort();
          const outcome = await put.catch((error: unknown) => {
            assert.ok(isMemoryError(error, 'ABORTED'), String(error));
            return undefined;
          });
          assert.deepEqual(await store.get(id), outcome);
        }
      },
    },
    {
      title: 'a search with an aborted signal rejects',
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron' });
        await refuses('ABORTED', () => store.search(`heron ${SECRET}`, { signal: AbortSignal.abort() }));
      },
    },
    {
      title: 'a list with an aborted signal rejects',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron' });
        await refuses('ABORTED', () => store.list({ signal: AbortSignal.abort() }));
      },
    },
    {
      title: 'a list that is aborted before it has ended rejects',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        await store.putMany(range(300).map((n) => ({ id: `${n}`, content: `heron ${n}` })));
        for (const turns of [1, 2, 3, 4, 5]) {
          const controller = new AbortController();
          let hasEnded = false;
          const list = store.list({ idPrefix: 'none', signal: controller.signal });
          const outcome = list.then(
            () => 'fulfilled',
            (error: unknown) => (isMemoryError(error, 'ABORTED') ? 'aborted' : error),
          );
          void outcome.then(() => (hasEnded = true));
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setTimeout(resolve));
          const expected = hasEnded ? 'fulfilled' : 'aborted';
          controller.abort();
          assert.equal(await outcome, expected, `Aborted after ${turns} turns`);
        }
      },
    },
    {
      title: 'a search or a list that is aborted rejects at once, whatever it waits for',
      async run(harness, { enumerate }) {
        const store = harness.open();
        await store.within(['below']).put({ id: 'two', content: 'heron' });
        await store.put({ id: 'one', content: 'heron' });
        for (const options of enumerate ? [{}, { descendants: true }] : [{}]) {
          const controller = new AbortController();
          const { signal } = controller;
          // Opened for this call: what it must open first, it has to wait for.
          const calls: Promise<unknown>[] = [harness.open().search('heron', { ...options, signal })];
          if (enumerate) calls.push(harness.open().list({ ...options, signal }));
          let pending = calls.length;
          const outcomes = calls.map((call) => call.catch((error: unknown) => error).finally(() => pending--));
          controller.abort();
          await new Promise((resolve) => setTimeout(resolve));
          assert.equal(pending, 0, 'Calls that were aborted are still pending');
          for (const outcome of await Promise.all(outcomes))
            assert.ok(isMemoryError(outcome, 'ABORTED'), String(outcome));
        }
      },
    },
    {
      title: 'a signal that is not aborted, or only later, has no effect',
      async run(harness) {
        const store = harness.open();
        const controller = new AbortController();
        const { signal } = controller;
        const record = await store.put({ id: 'one', content: 'heron' }, { signal });
        assert.equal((await store.search('heron', { signal })).length, 1);
        controller.abort();
        assert.deepEqual(await store.get('one'), record);
        assert.equal((await store.search('heron')).length, 1);
      },
    },
  ],
};
