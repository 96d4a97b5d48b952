import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { type KeepsakeConfig, OpenedConfig } from '../src/index.ts';

const PATH = 'keepsake.config.ts';

const RUN = { status: 'paused', items: [{ role: 'user', content: 'Hello' }] } as const;

function open(config: Partial<KeepsakeConfig> = {}, namespace: readonly string[] = []): OpenedConfig {
  const store = new InMemoryStore({ name: 'memory' });
  return new OpenedConfig(
    { memory: () => store, sessions: () => new InMemorySessionStore(), ...config },
    { path: PATH, namespace },
  );
}

describe('OpenedConfig', () => {
  it('opens nothing before it is needed, and each part once among concurrent callers', async () => {
    let opened = 0;
    const config = open({ memory: async () => new InMemoryStore({ name: `${++opened}` }) });
    expect(opened).toBe(0);
    const [one, other] = await Promise.all([config.memory(), config.memory()]);
    await config.space();
    expect(one).toBe(other);
    expect(opened).toBe(1);
  });

  it('tries again after a failure', async () => {
    let calls = 0;
    const config = open({
      sessions: () => {
        if (++calls === 1) throw new Error('refused');
        return new InMemorySessionStore();
      },
    });
    await expect(config.sessions()).rejects.toMatchObject({
      code: 'BACKEND',
      message: '`sessions` of keepsake.config.ts failed: see the cause.',
      cause: { message: 'refused' },
    });
    await expect(config.sessions()).resolves.toBeInstanceOf(InMemorySessionStore);
  });

  it('keeps the code of a MemoryError', async () => {
    const config = open({ memory: () => new InMemoryStore({} as { name: string }) });
    await expect(config.memory()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it.each(['memory', 'sessions', 'workspace', 'embedder', 'model'] as const)(
    'refuses something else than what `%s` must return',
    async (part) => {
      const config = open({ [part]: () => ({ list() {} }) });
      await expect(config[part]()).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(`\`${part}\` of ${PATH} must return a`),
      });
    },
  );

  it('refuses sessions that are not configured, and returns undefined for optional parts', async () => {
    const config = open({ sessions: undefined });
    await expect(config.sessions()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect([await config.workspace(), await config.embedder(), await config.model()]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await expect(config.space()).resolves.toBeDefined();
  });

  it('keeps two namespaces apart', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    const [alice, bob] = ['alice', 'bob'].map((name) => open({ memory: () => store }, ['u', name])) as [
      OpenedConfig,
      OpenedConfig,
    ];
    await (await alice.memory()).add('Prefers aisle seats');
    await (await (await alice.conversations()).for('agent', { sessionId: 'chat' })).save(RUN);
    expect((await (await alice.memory()).list()).items).toHaveLength(1);
    expect((await (await bob.memory()).list()).items).toEqual([]);
    expect((await (await bob.conversations()).listSessions({ allUsers: true })).items).toEqual([]);
  });

  it('erases a user by the configured patterns, with conversations', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    const config = open({ memory: () => store, space: { userNamespaces: ['customers:{user_id}'] } });
    await store.within(['customers', 'alice']).add('Prefers aisle seats');
    await store.within(['customers', 'bob']).add('Prefers windows');
    const conversations = await config.conversations();
    await conversations.for('agent', { sessionId: 'chat', userId: 'alice' }).save(RUN);

    const receipt = await (await config.space()).eraseUser('alice');

    expect(receipt).toMatchObject({ memories: 1, userData: { conversations: { sessions: 1 } } });
    expect((await store.within(['customers', 'bob']).list()).items).toHaveLength(1);
  });

  it('applies changes to a new space and new conversations', async () => {
    const config = open({ conversations: { tenant: 'acme' } });
    const conversations = await config.conversations();
    expect(await config.conversations()).toBe(conversations);
    await conversations.for('agent', { sessionId: 'chat' }).save(RUN);
    const other = await config.conversations({ tenant: 'other' });
    expect((await conversations.listSessions({ allUsers: true })).items).toHaveLength(1);
    expect((await other.listSessions({ allUsers: true })).items).toEqual([]);
    expect(await config.space({ agents: { guide: {} } })).not.toBe(await config.space());
  });

  it('closes the store before the clients, once, and refuses later calls', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    const closed: string[] = [];
    const memory = () =>
      Object.assign(Object.create(store), {
        within: () => store,
        close: async () => void closed.push('store'),
      });
    const config = open({ memory, close: () => closed.push('clients') });
    await config.memory();
    await Promise.all([config.close(), config[Symbol.asyncDispose]()]);
    expect(closed).toEqual(['store', 'clients']);
    for (const part of ['memory', 'sessions', 'space', 'conversations', 'model'] as const) {
      await expect(config[part]()).rejects.toMatchObject({ code: 'CLOSED' });
    }
  });

  it('closes without opening anything', async () => {
    let opened = 0;
    const config = open({ memory: () => new InMemoryStore({ name: `${++opened}` }) });
    await config.close();
    expect(opened).toBe(0);
  });
});
