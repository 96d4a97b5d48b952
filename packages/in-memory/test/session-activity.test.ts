import { expect, it } from 'vitest';
import { InMemorySessionStore } from '../src/index.ts';

it('mutations that change nothing are no activity', async () => {
  const store = new InMemorySessionStore();
  const call = { type: 'function_call', callId: 'known' };
  await store.open('first').addItems([call]);
  await store.open('second').addItems([call]);
  for (const callId of ['unknown', 'known']) {
    const mutations = [{ type: 'replace_function_call' as const, callId, replacement: call }];
    await store.open('first').applyHistoryMutations({ mutations });
  }
  expect((await store.list()).items.map(({ sessionId }) => sessionId)).toEqual(['second', 'first']);
});
