import { startRedis } from '@keepsake/services';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { registryKeys, storeKeys } from '../../src/client/keys.ts';
import { openStore } from '../programs/open-store.ts';
import { runProgram } from './run-program.ts';

const EACH = rounds(200);

it(`8 processes put ${EACH} records each and increment a counter with ifVersion, and lose none`, async (context) => {
  const server = await startRedis({ own: true });
  const programs = Array.from({ length: 8 }, (_, n) => runProgram('write', server.url, `process ${n}`, `${EACH}`));
  const lines = (await Promise.all(programs.map(({ ended }) => ended))).flat();
  const attempts = lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
  const { client, store } = openStore(server.url);
  const all = 8 * EACH;
  expect(await store.get('count')).toMatchObject({ content: `${all}`, version: putTimes(all) });
  expect((await store.search('tea of process', { maxSearchResults: 1_000 })).length).toBe(Math.min(all, 1_000));
  const { changes, records } = storeKeys('keepsake:', []);
  expect([await client.hlen(records), await client.zcard(changes)]).toEqual([all + 1, all + 1]);
  expect(await store.clear()).toBe(all + 1);
  client.disconnect();
  await server.stop();
  show(
    context,
    1,
    `8 processes, ${count(all)} records put and found, one incremented ${count(all)} times in ${count(attempts)} attempts, 0 lost`,
  );
});

it('namespaces() lists every namespace that holds a record while 8 clients and 4 processes fill and empty them', async (context) => {
  const server = await startRedis({ own: true });
  const [ROUNDS, RUNS] = [rounds(500, 50), rounds(4)];
  let put = 0;
  for (let run = 0; run < RUNS; run++) {
    const programs = Array.from({ length: 4 }, (_, n) =>
      runProgram('come-and-go', server.url, `process ${n}`, `${ROUNDS}`),
    );
    const clients = Array.from({ length: 8 }, () => openStore(server.url));
    await Promise.all(
      clients.map(async ({ store }, who) => {
        for (let round = 0; round < ROUNDS; round++) {
          const place = store.within(['top', 'abc'[round % 3] as string]);
          if ((round + who) % 4 === 0) await store.within(['top']).clear({ descendants: true });
          else if ((round + who) % 4 === 1) await store.namespaces();
          else await place.put({ id: `client ${who}`, content: 'tea' });
        }
      }),
    );
    for (const { client } of clients) client.disconnect();
    const lines = (await Promise.all(programs.map(({ ended }) => ended))).flat();
    put += lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0) + 2 * ROUNDS;

    const { client, store } = openStore(server.url);
    const holding: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const place = store.within(['top', name]);
      if ((await place.list()).items.length > 0) holding.push(name);
    }
    const listed = (await store.namespaces()).items.map(({ namespace }) => namespace.at(-1));
    expect(listed).toEqual(holding);
    await store.clear({ descendants: true });
    for (const name of ['a', 'b', 'c']) {
      expect(await client.exists(storeKeys('keepsake:', ['top', name]).records)).toBe(0);
    }
    expect((await store.namespaces()).items).toEqual([]);
    expect(await client.zcard(registryKeys('keepsake:').paths)).toBe(0);
    client.disconnect();
  }
  await server.stop();
  const all = count(RUNS * ROUNDS * 12);
  show(context, 1, `8 clients and 4 processes, ${all} rounds on 3 namespaces, ${count(put)} puts, none missed`);
});
