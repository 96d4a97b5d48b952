import { OPERATION_IDS } from '@keepsake/core/adapter';
import { expectToForgetOperations } from '@keepsake/suites/sessions/operation-ids';
import { expect, it } from 'vitest';
import { sessionKeys } from '../src/client/keys.ts';
import { RedisSession } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

/** A session, and what changes the times of its operations. */
function openAgeing() {
  const keyPrefix = freshPrefix();
  const { metadata } = sessionKeys(keyPrefix, 'chat');
  const session = new RedisSession({ client: shared.client, keyPrefix, sessionId: 'chat' });
  const rewrite = async (change: (id: string, seconds: number) => string) => {
    for (const [field, value] of Object.entries(await shared.client.hgetall(metadata))) {
      const [id = '', seconds] = value.split('\0');
      if (field.startsWith('place:')) await shared.client.hset(metadata, field, change(id, Number(seconds)));
    }
  };
  return {
    session,
    metadata,
    age: (ms: number) => rewrite((id, seconds) => `${id}\0${seconds - ms / 1_000}`),
    /** As a version of the package wrote them that remembered the last 1,000 and no times. */
    async makeUndated() {
      await rewrite((id) => id);
      await shared.client.hdel(metadata, 'forgotten');
    },
  };
}

it('operations are forgotten after 30 days, but not the latest 1,000 and as many as there are items', async () => {
  const { session, metadata, age } = openAgeing();
  await expectToForgetOperations(session, age);
  const fields = Object.keys(await shared.client.hgetall(metadata));
  const known = fields.filter((field) => field.startsWith('operation:')).length;
  expect(known).toBeLessThan(1_110);
  expect(fields.filter((field) => field.startsWith('place:'))).toHaveLength(known);
});

it('operations without a time count as applied at the next operation', async () => {
  const { session, metadata, makeUndated } = openAgeing();
  const operate = (n: number) =>
    session.applyHistoryTransaction({ operationId: `${n}`, transaction: { type: 'append_items', items: [] } });
  for (let n = 0; n < 1_100; n++) await operate(n);
  await makeUndated();
  const undated = Array.from({ length: 100 }, (_, n) => [`operation:${n}`, `place:${n + 1}`]).flat();
  await shared.client.hdel(metadata, ...undated);
  const isKnown = async (n: number) => (await shared.client.hexists(metadata, `operation:${n}`)) === 1;
  for (let n = 1_100; n < 1_200; n++) await operate(n);
  expect(await isKnown(100)).toBe(true);
  const seconds = Number(await shared.client.hget(metadata, 'undated'));
  await shared.client.hset(metadata, 'undated', seconds - OPERATION_IDS.keepMs / 1_000 - 1);
  await operate(1_200);
  expect([await isKnown(107), await isKnown(108)]).toEqual([false, true]);
  for (let n = 1_201; n < 1_300; n++) await operate(n);
  // The latest 1,000.
  expect([await isKnown(299), await isKnown(300)]).toEqual([false, true]);
});
