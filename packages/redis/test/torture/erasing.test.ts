import { isMemoryError } from '@keepsake/core';
import { startProxy, startRedis } from '@keepsake/services';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { storeKeys } from '../../src/client/keys.ts';
import { RedisStore } from '../../src/index.ts';

const NAMESPACES = 50;
const RECORDS = NAMESPACES * rounds(500);
const CUTS = 10;
const SECRET = 'sentinel-9d2f';

it(`clear erases ${count(RECORDS)} records while writers run and the connection is cut`, async (context) => {
  const server = await startRedis({ own: true });
  const proxy = await startProxy(server);
  const client = new Redis(server.url);
  const shaky = new Redis({ host: proxy.host, port: proxy.port, maxRetriesPerRequest: 0, retryStrategy: () => 1 });
  shaky.on('error', () => {});
  const user = ['users', 'alice'];
  const alice = new RedisStore({ client, name: 'memory', namespace: user });
  const bob = new RedisStore({ client, name: 'memory', namespace: ['users', 'alice2'] });
  const storeOf = (n: number) => (n === 0 ? alice : alice.within(['chats', `chat ${n}`]));
  await bob.put({ id: 'x', content: 'what bob said' });
  for (let n = 0; n < NAMESPACES; n++) {
    const inputs = Array.from({ length: RECORDS / NAMESPACES }, (_, index) => ({
      content: `${SECRET} tea ${n} ${index}`,
      metadata: { note: SECRET },
      turn: { thread: SECRET, index, speaker: SECRET },
    }));
    await storeOf(n).putMany(inputs);
  }

  let stop = false;
  const written = new Set<string>();
  const writers = Array.from({ length: 4 }, async (_, who) => {
    for (let n = 0; !stop; n++) {
      const { id } = await storeOf((n * 7 + who) % NAMESPACES).put({ content: `${SECRET} late ${who} ${n}` });
      written.add(id);
    }
  });
  let cuts = 0;
  const eraser = new RedisStore({ client: shaky, name: 'memory', namespace: user });
  for (let done = false; !done; ) {
    // Each attempt gets a little further.
    const { records } = storeKeys('keepsake:', [...user, 'chats', `chat ${1 + 4 * cuts}`]);
    const cut = cuts < CUTS ? proxy.cutAt(cuts % 2 ? 'request' : 'reply', records) : undefined;
    try {
      await eraser.clear({ descendants: true });
      done = cut === undefined;
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      if (error.code === 'OUTCOME_UNKNOWN') cuts++;
    }
  }
  stop = true;
  await Promise.all(writers);
  // Removes what the writers put into namespaces that the first clear had already passed.
  await alice.clear({ descendants: true });

  expect(cuts).toBe(CUTS);
  expect((await alice.namespaces()).items).toEqual([]);
  for (let n = 0; n < NAMESPACES; n++) {
    expect((await storeOf(n).list()).items).toEqual([]);
    expect(await storeOf(n).search(`${SECRET} tea late`)).toEqual([]);
  }
  for (const id of [...written].slice(0, 100)) expect(await alice.get(id)).toBeUndefined();
  let keys = 0;
  for (const key of await client.keys('*')) {
    keys++;
    expect(String(await client.dumpBuffer(key))).not.toContain(SECRET);
  }
  expect((await bob.list()).items).toHaveLength(1);
  shaky.disconnect();
  client.disconnect();
  await proxy.stop();
  await server.stop();
  show(
    context,
    31,
    `${count(RECORDS)} records in ${NAMESPACES} namespaces, ${count(written.size)} put meanwhile, ${cuts} cuts, 0 left in ${keys} keys`,
  );
});
