import type { JsonObject } from '@keepsake/core';
import { expect, it } from 'vitest';
import { type RedisClient, RedisSession } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();
const item = { text: 'heron' };
const call = { type: 'function_call', callId: 'c' };

const changes: Readonly<Record<string, readonly [commands: number, (session: RedisSession) => Promise<unknown>]>> = {
  getItems: [1, (session) => session.getItems(2)],
  addItems: [1, (session) => session.addItems([item])],
  append_items: [1, (session) => transact(session, { type: 'append_items', items: [item] })],
  replace_suffix: [
    1,
    (session) => transact(session, { type: 'replace_suffix', expectedSuffix: [item], replacement: [item] }),
  ],
  'replace_suffix of fields in another order': [
    2,
    (session) =>
      transact(session, {
        type: 'replace_suffix',
        expectedSuffix: [{ b: 2, a: 1 }, item],
        replacement: [item],
      }),
  ],
  popItem: [2, (session) => session.popItem()],
  clearSession: [1, (session) => session.clearSession()],
  replaceHistoryWithCompaction: [2, (session) => session.replaceHistoryWithCompaction([item])],
};

type Operation = Parameters<RedisSession['applyHistoryTransaction']>[0];

function transact(session: RedisSession, transaction: Operation['transaction']): Promise<void> {
  return session.applyHistoryTransaction({ operationId: 'o', transaction });
}

/** Sends what it is given to the server, and keeps it. */
function recording() {
  const sent: (readonly unknown[])[] = [];
  const client: RedisClient = {
    call(command, values) {
      sent.push(values);
      return shared.client.call(command, values);
    },
    callBuffer: (command, values) => shared.client.callBuffer(command, values),
  };
  return { sent, client };
}

async function filled(items: readonly JsonObject[]): Promise<{ session: RedisSession; sent: (readonly unknown[])[] }> {
  const { sent, client } = recording();
  const session = new RedisSession({ client, keyPrefix: freshPrefix() });
  await session.addItems([...items]);
  sent.length = 0;
  return { session, sent };
}

it.each(Object.entries(changes))('%s takes a fixed number of commands', async (_, [commands, change]) => {
  const history = [{ a: 1, b: 2 }, item];
  // The server knows the script after this.
  await change((await filled(history)).session);
  const { session, sent } = await filled(history);
  await change(session);
  expect(sent).toHaveLength(commands);
});

it('mutations send only the items that change', async () => {
  const history: JsonObject[] = Array.from({ length: 100 }, (_, n) => (n === 10 || n === 50 ? call : { n }));
  const mutations = [{ type: 'replace_function_call' as const, callId: 'c', replacement: item }];
  await (await filled([call])).session.applyHistoryMutations({ mutations });
  const { session, sent } = await filled(history);
  await session.applyHistoryMutations({ mutations });
  expect(sent).toHaveLength(2);
  // How many are replaced, the index and the text of each, and the indexes to drop.
  expect(sent[1]?.slice(-4)).toEqual([1, 10, JSON.stringify(item), 50]);
  expect(await session.getItems()).toEqual(history.with(10, item).toSpliced(50, 1));
});
