import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registryKeys, storeKeys } from '../src/client/keys.ts';
import type { ScriptArgument } from '../src/client/redis-client.ts';
import { type RedisClient, RedisStore } from '../src/index.ts';
import { EMPTY } from '../src/lua/records/log-scripts.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

/** The client of the tests with some methods replaced. */
function clientWith(own: Partial<RedisClient>): RedisClient {
  const { client } = shared;
  return {
    call: client.call.bind(client),
    callBuffer: client.callBuffer.bind(client),
    ...own,
  };
}

/** Delays each call until the scheduler runs it, and sends some twice, as ioredis does when a connection breaks. */
function scheduled(scheduler: fc.Scheduler, name: string, again: () => boolean): RedisClient {
  const step = (values: ScriptArgument[]) => scheduler.schedule(Promise.resolve(), `${name} ${String(values[0])}`);
  const through =
    (send: RedisClient['call']): RedisClient['call'] =>
    async (command, values) => {
      await step(values);
      const reply = await send(command, values);
      if (!again()) return reply;
      await step(values);
      return send(command, values);
    };
  const { client } = shared;
  return clientWith({ call: through(client.call.bind(client)), callBuffer: through(client.callBuffer.bind(client)) });
}

const action = fc.record({
  kind: fc.constantFrom('put', 'put', 'delete', 'clear', 'namespaces', 'clear all'),
  place: fc.nat({ max: 1 }),
});
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function act(top: RedisStore, { kind, place }: Action): Promise<void> {
  const store = top.within([`place ${place}`]);
  if (kind === 'put') await store.put({ id: 'x', content: 'tea' });
  else if (kind === 'delete') await store.delete('x');
  else if (kind === 'clear') await store.clear();
  else if (kind === 'namespaces') await top.namespaces();
  else await top.clear({ descendants: true });
}

describe('The registry of namespaces', () => {
  it('never misses a namespace with a record, however concurrent calls interleave or repeat', async () => {
    let held = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
        fc.infiniteStream(fc.nat({ max: 4 })),
        async (scheduler, actors, dice) => {
          const keyPrefix = freshPrefix();
          const open = (client: RedisClient) => new RedisStore({ client, keyPrefix, name: 'memory' });
          await open(shared.client).within(['place 0']).put({ id: 'x', content: 'tea' });
          const again = () => dice.next().value === 0;
          await scheduler.waitFor(
            Promise.all(
              actors.map(async (actions, number) => {
                const top = open(scheduled(scheduler, `actor ${number}`, again));
                for (const action of actions) await act(top, action);
              }),
            ),
          );
          const holding: string[] = [];
          for (const place of ['place 0', 'place 1']) {
            const { records } = storeKeys(keyPrefix, [place]);
            if ((await shared.client.exists(records)) === 1) holding.push(place);
          }
          held += holding.length;
          const top = open(shared.client);
          expect((await top.namespaces()).items.map(({ namespace }) => namespace[0])).toEqual(holding);
          for (const segment of ['place 0', 'place 1']) {
            const found = (await top.namespaces({ segment })).items.map(({ namespace }) => namespace[0]);
            expect(found).toEqual(holding.filter((place) => place === segment));
          }
          expect(await top.clear({ descendants: true })).toBe(holding.length);
          expect((await top.namespaces()).items).toEqual([]);
          const { paths, segments } = registryKeys(keyPrefix);
          expect(await shared.client.zcard(paths)).toBe(0);
          expect(await shared.client.zcard(segments)).toBe(0);
        },
      ),
      { numRuns: rounds(250, 60) },
    );
    expect(held).toBeGreaterThan(rounds(100));
  });

  it('removes an empty namespace when it is listed, and adds it again when it gets a record', async () => {
    const keyPrefix = freshPrefix();
    const top = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
    const store = top.within(['a']);
    const { paths } = registryKeys(keyPrefix);
    await store.put({ id: 'x', content: 'tea' });
    await store.delete('x');
    expect(await shared.client.zcard(paths)).toBe(1);
    expect((await top.namespaces()).items).toEqual([]);
    expect(await shared.client.zcard(paths)).toBe(0);
    await store.put({ id: 'x', content: 'tea' });
    expect((await top.namespaces()).items).toEqual([{ namespace: ['a'], recordCount: 1 }]);
  });

  it('is updated again by a put that arrives after its gate may have expired', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const open = (own: RedisClient) => new RedisStore({ client: own, keyPrefix, name: 'memory', namespace: ['a'] });
    let registered = 0;
    const late = clientWith({
      async call(command, values) {
        const reply = await client.call(command, values);
        if (registered++ === 0) {
          await open(client).clear();
          await client.del(storeKeys(keyPrefix, ['a']).gate);
        }
        return reply;
      },
      // As if a minute had passed.
      async callBuffer(command, values) {
        const reply = await client.callBuffer(command, values);
        if (Array.isArray(reply) && String(reply[0]) === 'REGISTER' && registered === 0)
          reply[2] = Number(reply[2]) - 60_000;
        return reply;
      },
    });
    await open(late).put({ id: 'x', content: 'tea' });
    expect(registered).toBe(2);
    const { items } = await new RedisStore({ client, keyPrefix, name: 'memory' }).namespaces();
    expect(items).toEqual([{ namespace: ['a'], recordCount: 1 }]);
  });

  it('is updated again by a put if a repeated clear arrives after another clear', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const open = (own: RedisClient) => new RedisStore({ client: own, keyPrefix, name: 'memory', namespace: ['a'] });
    await open(client).put({ id: 'x', content: 'tea' });
    await open(client).delete('x');
    const [emptied, putting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sentAgain = clientWith({
      async call(command, values) {
        const reply = await client.call(command, values);
        if (values[0] !== EMPTY.sha) return reply;
        emptied.resolve();
        await putting.promise;
        await open(client).clear();
        return client.call(command, values);
      },
    });
    let clearing: Promise<unknown> = Promise.resolve();
    const slow = clientWith({
      async call(command, values) {
        const reply = await client.call(command, values);
        putting.resolve();
        await clearing;
        return reply;
      },
    });
    clearing = open(sentAgain).clear();
    await emptied.promise;
    await open(slow).put({ id: 'y', content: 'tea' });
    const { items } = await new RedisStore({ client, keyPrefix, name: 'memory' }).namespaces();
    expect(items).toEqual([{ namespace: ['a'], recordCount: 1 }]);
  });

  it('is restored after data loss by the first write an hour after the last registration', async () => {
    const keyPrefix = freshPrefix();
    const top = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
    const store = top.within(['a']);
    await store.put({ id: 'x', content: 'tea' });
    // As if the node with the registry had lost its data.
    await shared.client.del(...Object.values(registryKeys(keyPrefix)));
    await store.put({ id: 'y', content: 'tea' });
    expect((await top.namespaces()).items).toEqual([]);
    await shared.client.hincrby(storeKeys(keyPrefix, ['a']).state, 'r', -3_600_001);
    await store.put({ id: 'z', content: 'tea' });
    expect((await top.namespaces()).items).toEqual([{ namespace: ['a'], recordCount: 3 }]);
    expect(await top.clear({ descendants: true })).toBe(3);
  });
});
