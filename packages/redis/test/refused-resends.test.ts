import { EventEmitter } from 'node:events';
import { startProxy, startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisSession, RedisStore } from '../src/index.ts';

const item = { type: 'note', text: 'tea' };

function connect(url: string, options: object = {}): Redis {
  const client = new Redis(url, { retryStrategy: () => 1, enableReadyCheck: false, ...options });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** A server, a client behind a proxy, and an administrator, whose connections last. */
async function open() {
  const server = await startRedis({ own: true });
  onTestFinished(() => server.stop());
  const proxy = await startProxy(server);
  onTestFinished(() => proxy.stop());
  const setup = connect(server.url);
  await setup.call('ACL', 'SETUSER', 'admin', 'on', '>secret', '~*', '+@all');
  const url = server.url.replace('//', '//admin:secret@');
  const [admin, other] = [connect(url), connect(url)];
  const client = connect(`redis://${proxy.host}:${proxy.port}`, { maxRetriesPerRequest: null });
  await Promise.all([admin.ping(), other.ping(), client.ping()]);
  return { client, admin, other, proxy };
}

type Place = Awaited<ReturnType<typeof open>>;

/** Makes the server refuse commands before it runs any script. Returns what undoes that. */
const REFUSALS: Record<string, (place: Place) => Promise<() => Promise<unknown>>> = {
  async NOPERM({ admin }) {
    await admin.call('ACL', 'SETUSER', 'default', '-@scripting');
    return () => admin.call('ACL', 'SETUSER', 'default', '+@scripting');
  },
  async BUSY({ admin, other }) {
    await admin.call('CONFIG', 'SET', 'lua-time-limit', '1');
    const busy = other.eval('while true do end', 0).catch(() => undefined);
    await expect.poll(() => admin.ping().catch(String)).toContain('BUSY');
    return async () => {
      await admin.call('SCRIPT', 'KILL');
      await busy;
    };
  },
};

const CHANGES = {
  'an append'(client: Redis) {
    const session = new RedisSession({ client, sessionId: 'chat' });
    return { change: () => session.addItems([item]), count: async () => (await session.getItems()).length };
  },
  'a put'(client: Redis) {
    const store = new RedisStore({ client, name: 'memory' });
    return { change: () => store.put({ content: 'tea' }), count: async () => (await store.list()).items.length };
  },
};

describe.each(Object.keys(REFUSALS))('a server that refuses with %s', (word) => {
  it.each(['an append', 'a put'] as const)(
    'leaves %s unknown if its answer was lost, and the client sent it again',
    async (name) => {
      const place = await open();
      const { client, proxy } = place;
      const { change, count } = CHANGES[name](client);
      // Loads the scripts. Otherwise the lost answer would be NOSCRIPT.
      await change();
      await change();
      const cut = proxy.cutAt('reply', 'evalsha');
      const failure = change().catch((error: unknown) => error);
      await cut;
      proxy.pause();
      const undo = await REFUSALS[word]?.(place);
      proxy.resume();
      const message = expect.stringContaining(word);
      expect(await failure).toMatchObject({ code: 'OUTCOME_UNKNOWN', message, retryable: undefined });
      await undo?.();
      await expect.poll(() => count().catch(() => 0)).toBe(3);
    },
  );
});

describe('a change that was sent once', () => {
  it.each([
    ['NOPERM', undefined],
    ['BUSY', true],
  ])('and refused with %s was not made', async (word, retryable) => {
    const place = await open();
    const { change, count } = CHANGES['an append'](place.client);
    await change();
    const undo = await REFUSALS[word]?.(place);
    const failure = await change().catch((error: { retryable?: boolean }) => error);
    expect(failure).toMatchObject({ code: 'BACKEND', message: expect.stringContaining(word) });
    expect((failure as { retryable?: boolean }).retryable).toBe(retryable);
    await undo?.();
    expect(await count()).toBe(1);
  });
});

describe('an error that a server can reply with before it runs a script', () => {
  /** A client that gets this error, after its link broke if `breaks`. */
  function failing(word: string, breaks: boolean) {
    const events = new EventEmitter();
    const call = async () => {
      if (breaks) events.emit('close');
      throw Object.assign(new Error(`${word} for a reason`), { name: 'ReplyError' });
    };
    return { status: 'ready', on: events.on.bind(events), call, callBuffer: call };
  }

  it.each([
    ...['LOADING', 'BUSY', 'TRYAGAIN', 'CLUSTERDOWN', 'MASTERDOWN'].map((word) => [word, true] as const),
    ...['NOAUTH', 'NOPERM', 'ERR'].map((word) => [word, undefined] as const),
  ])('%s leaves a change unknown only if the change was sent again', async (word, retryable) => {
    const message = expect.stringContaining(word);
    const fails = (breaks: boolean) =>
      new RedisSession({ client: failing(word, breaks) }).addItems([item]).catch((error: unknown) => error);
    expect(await fails(true)).toMatchObject({ code: 'OUTCOME_UNKNOWN', message, retryable: undefined });
    expect(await fails(false)).toMatchObject({ code: 'BACKEND', message, retryable });
  });
});

describe('a server that cannot be reached', () => {
  const away = { maxRetriesPerRequest: 1 };

  it('makes reads and changes fail with BACKEND, retryable, because nothing was sent', async () => {
    const client = connect('redis://127.0.0.1:1', away);
    const session = new RedisSession({ client, sessionId: 'chat' });
    const store = new RedisStore({ client, name: 'memory' });
    const calls = [
      () => session.getItems(),
      () => session.addItems([item]),
      () => store.get('x'),
      () => store.put({ content: 'tea' }),
      () => store.clear(),
    ];
    for (const call of calls) {
      const failure = await call().catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'BACKEND',
        retryable: true,
        message: expect.stringContaining('MaxRetries'),
      });
    }
  });

  it('makes reads retryable and changes unknown once a command was sent', async () => {
    const { client, proxy } = await open();
    client.options.maxRetriesPerRequest = 0;
    const session = new RedisSession({ client, sessionId: 'chat' });
    await session.addItems([item]);
    let cut = proxy.cutAt('reply', 'lrange');
    expect(await session.getItems().catch((error: unknown) => error)).toMatchObject({
      code: 'BACKEND',
      retryable: true,
    });
    await cut;
    await expect.poll(() => client.status).toBe('ready');
    cut = proxy.cutAt('reply', 'evalsha');
    expect(await session.addItems([item]).catch((error: unknown) => error)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await cut;
  });

  it('is not retryable once the client was closed', async () => {
    const { client } = await open();
    const session = new RedisSession({ client, sessionId: 'chat' });
    await session.addItems([item]);
    client.disconnect();
    await expect.poll(() => client.status).toBe('end');
    const failure = await session.addItems([item]).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      ...{ code: 'BACKEND', retryable: undefined },
      message: expect.stringContaining('closed'),
    });
  });
});
