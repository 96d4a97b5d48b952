import { type RedisServer, startProxy, startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisSession, RedisSessionStore, RedisStore } from '../src/index.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';

const alone = sharedRedis();
const cluster = sharedCluster();
const waitReplicas = { replicas: 1, timeoutMs: 10_000 };
const item = { type: 'note', text: 'tea' };

async function start(...args: string[]): Promise<RedisServer> {
  const server = await startRedis({ own: true, args });
  onTestFinished(() => server.stop());
  return server;
}

function connect(url: string, options: object = {}): Redis {
  const client = new Redis(url, { retryStrategy: () => 1, ...options });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

async function startProxyOf(server: RedisServer) {
  const proxy = await startProxy(server);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** A master and a client of it, and a replica that has caught up, with proxies between them. */
async function replicated() {
  const master = await start('--repl-diskless-sync-delay', '0');
  const [proxy, link] = [await startProxyOf(master), await startProxyOf(master)];
  const replica = connect((await start('--replicaof', link.host, `${link.port}`)).url);
  await expect.poll(() => replica.info('replication'), { timeout: 20_000 }).toContain('master_link_status:up');
  const direct = connect(master.url);
  await expect.poll(() => direct.wait(1, 1_000), { timeout: 20_000 }).toBe(1);
  return { client: connect(`redis://${proxy.host}:${proxy.port}`), direct, replica, proxy, link };
}

describe('waitReplicas', () => {
  it('acknowledges changes that the replica has', async () => {
    const { client, replica } = await replicated();
    const session = new RedisSession({ client, sessionId: 'chat', waitReplicas });
    const store = new RedisStore({ client, name: 'memory', waitReplicas });
    await session.addItems([item, item]);
    expect(await session.popItem()).toEqual(item);
    await store.put({ id: 'a', content: 'tea' });
    await store.put({ id: 'b', content: 'tea' });
    await store.delete('a');
    expect(await new RedisSession({ client: replica, sessionId: 'chat' }).getItems()).toEqual([item]);
    const { items } = await new RedisStore({ client: replica, name: 'memory' }).list();
    expect(items.map(({ id }) => id)).toEqual(['b']);
    expect(await session.getItems()).toEqual([item]);
  });

  it('rejects with OUTCOME_UNKNOWN if too few replicas confirm a change, which the master has made', async () => {
    const { client } = alone;
    const connection = { client, keyPrefix: freshPrefix(), waitReplicas: { replicas: 1, timeoutMs: 1 } };
    const session = new RedisSession({ ...connection, sessionId: 'chat' });
    const expected = {
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('only 0 of 1 confirmed it within 1 ms'),
    };
    await expect(session.addItems([item])).rejects.toMatchObject(expected);
    expect(await session.getItems()).toEqual([item]);
    const store = new RedisStore({ ...connection, name: 'memory' });
    await expect(store.put({ content: 'tea' })).rejects.toMatchObject(expected);
    const sessions = new RedisSessionStore(connection);
    await expect(sessions.delete('chat')).rejects.toMatchObject(expected);
    expect((await sessions.list()).items).toEqual([]);
  });

  it('does not confirm a change that was made over a connection that broke, which a new connection would', async () => {
    const { client, proxy, link, direct } = await replicated();
    const open = (timeoutMs: number) =>
      new RedisSession({ client, sessionId: 'chat', waitReplicas: { replicas: 1, timeoutMs } });
    // Now the server knows the script, so that the change below is one pipeline.
    await open(10_000).addItems([item]);
    await open(10_000).addItems([item]);
    link.pause();
    const cut = proxy.cutAt('reply', 'session:chat:items');
    const change = open(200).addItems([{ ...item, text: 'lost reply' }]);
    await cut;
    await expect(change).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    // Once, although it was sent twice.
    expect(await new RedisSession({ client: direct, sessionId: 'chat' }).getItems()).toHaveLength(3);
  });

  it('does not confirm an operation that was done before until the replica has it', async () => {
    const { client, replica, link } = await replicated();
    const change = { operationId: 'one', transaction: { type: 'append_items' as const, items: [item] } };
    const open = (timeoutMs: number) =>
      new RedisSession({ client, sessionId: 'chat', waitReplicas: { replicas: 1, timeoutMs } });
    await open(10_000).addItems([item]);
    link.pause();
    await new RedisSession({ client, sessionId: 'chat' }).applyHistoryTransaction(change);
    await expect(open(100).applyHistoryTransaction(change)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    link.resume();
    await open(10_000).applyHistoryTransaction(change);
    expect(await new RedisSession({ client: replica, sessionId: 'chat' }).getItems()).toHaveLength(2);
  });

  it('deletes from a server without free memory', async () => {
    const { client, direct } = await replicated();
    const session = new RedisSession({ client, sessionId: 'chat', waitReplicas });
    await session.addItems([item]);
    await direct.config('SET', 'maxmemory', '1');
    expect(await session.popItem()).toEqual(item);
    await expect(session.addItems([item])).rejects.toMatchObject({ code: 'BACKEND' });
    await session.clearSession();
  });

  it('rejects invalid options', () => {
    const { client } = alone;
    const create =
      (waitReplicas: unknown, other: object = {}) =>
      () =>
        new RedisStore({ client, name: 'memory', waitReplicas, ...other } as ConstructorParameters<
          typeof RedisStore
        >[0]);
    expect(create({ replicas: 0, timeoutMs: 1 })).toThrow(
      '`waitReplicas.replicas` must be a whole number from 1 to 1000.',
    );
    expect(create({ replicas: 1, timeoutMs: 0 })).toThrow('`waitReplicas.timeoutMs` must be a whole number from 1');
    expect(create({ replicas: 1, timeoutMS: 1 })).toThrow('Did you mean `timeoutMs`?');
    expect(create(null)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    const withoutPipelines = { call: async () => null, callBuffer: async () => null };
    expect(create(waitReplicas, { client: withoutPipelines })).toThrow('has pipelines');
  });
});

describe('waitReplicas on a cluster', () => {
  it('waits on the master of the session or namespace, also if the client must be redirected', async () => {
    const { client } = cluster;
    const connection = { client, keyPrefix: freshPrefix(), waitReplicas: { replicas: 1, timeoutMs: 1 } };
    for (let n = 0; n < 8; n++) {
      const session = new RedisSession({ ...connection, sessionId: `chat ${n}` });
      await expect(session.addItems([item])).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      expect(await session.getItems()).toEqual([item]);
    }
  });
});
