import { expect, it } from 'vitest';
import {
  type ErasureReceipt,
  PATHS,
  type PageOf,
  type UserDetail,
  type UserRow,
  type UsersPage,
} from '../src/protocol.ts';
import { describeOnSomeBackends } from './support/describe-on-backends.ts';

describeOnSomeBackends(({ open, filled }) => {
  it('a user who has sessions alone is listed', async () => {
    const { config, client } = await open();
    const space = await config.space();
    const scope = space.as({ principal: { id: 'carol' }, agent: 'guide' });
    await scope.session('s1').addItems([{ role: 'user', content: 'hello' }]);
    await scope.session('s2').addItems([{ role: 'user', content: 'hello again' }]);
    await (await config.sessions()).open('of nobody').addItems([{ role: 'user', content: 'hello' }]);
    expect(await client.get<UsersPage>(PATHS.users)).toMatchObject({
      items: [{ id: 'carol', type: 'user', recordCount: 0, sessions: 2 }],
      moreSessions: false,
    });
  });

  it('a user is shown, exported and erased completely, and nobody else', async () => {
    const { config, client } = await filled();
    const users = await client.get<PageOf<UserRow>>(PATHS.users);
    expect(users.items).toMatchObject([
      { id: 'a*', recordCount: 2, conversations: 1, sessions: 1, agents: ['guide'] },
      { id: 'alice', recordCount: 2, conversations: 1, sessions: 1 },
    ]);
    const page = await client.get<PageOf<UserRow>>(PATHS.users, { limit: 1 });
    const next = await client.get<PageOf<UserRow>>(PATHS.users, { cursor: page.cursor });
    expect(next.items.map(({ id }) => id)).toEqual(['alice']);
    const shown = await client.get<UserDetail>(PATHS.user, { id: 'alice', shared: true });
    const counts = { memories: 2, sharedEntries: 1, sessions: 1, sessionItems: 1, conversations: 1, runs: 2 };
    expect(shown.counts).toMatchObject(counts);
    const exported = await client.fetchGet(PATHS.exportUser, { id: 'alice' });
    expect(exported.headers.get('content-disposition')).toContain('keepsake-alice.jsonl');
    const lines = (await exported.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ keepsake: 'user-export', principal: { id: 'alice' } });
    expect(JSON.stringify(lines)).toContain('alice drinks green tea');
    expect(JSON.stringify(lines)).not.toContain('a* drinks');
    const erase = { id: 'alice', type: 'user', shared: true, confirm: 'alice' };
    expect((await client.fetchPost(PATHS.eraseUser, { ...erase, confirm: 'Alice' })).status).toBe(400);
    const receipt = await client.post<ErasureReceipt>(PATHS.eraseUser, erase);
    expect(receipt.counts).toMatchObject(counts);
    expect(receipt.receipt).toMatchObject({ principal: { id: 'alice' }, dryRun: false });
    const left = await client.get<UserDetail>(PATHS.user, { id: 'alice', shared: true });
    expect(Object.values(left.counts).every((count) => count === 0)).toBe(true);
    const other = await client.get<UserDetail>(PATHS.user, { id: 'a*', shared: true });
    expect(other.counts).toMatchObject(counts);
    expect((await (await config.space()).inspect({ principal: { id: 'alice' } })).length).toBe(0);
  });

  it('a user of configured patterns is listed, exported and erased at each of their places, and nobody else', async () => {
    const userNamespaces = ['customers:*:{user_id}', '**:person:{user_id}'];
    const { config, client } = await open({ space: { userNamespaces } });
    const [store, sessions] = [await config.memory(), await config.sessions()];
    for (const id of ['alice', 'a*']) {
      for (const place of [
        ['customers', 'acme', id],
        ['customers', 'globex', id, 'trips'],
        ['app', 'person', id],
      ]) {
        await store.within(place).put({ id: 'one', content: `${id} at ${place[1]}` });
      }
      await sessions.open(`customers:acme:${id}`).addItems([{ role: 'user', content: `hello from ${id}` }]);
    }
    for (const place of [
      ['user', 'alice'],
      ['customers', 'alice'],
    ]) {
      await store.within(place).put({ id: 'one', content: 'Of no user' });
    }
    const { items } = await client.get<UsersPage>(PATHS.users);
    expect(items).toMatchObject(
      ['a*', 'alice'].map((id) => ({ id, type: 'user', recordCount: 3, namespaces: 3, sessions: 1 })),
    );
    const counts = { memories: 3, sessions: 1, sessionItems: 1 };
    const shown = await client.get<UserDetail>(PATHS.user, { id: 'alice' });
    expect(shown.counts).toMatchObject(counts);
    const exported = await (await client.fetchGet(PATHS.exportUser, { id: 'alice' })).text();
    for (const word of ['alice at acme', 'alice at globex', 'alice at person', 'hello from alice']) {
      expect(exported).toContain(word);
    }
    expect(exported).not.toContain('a*');
    const erase = { id: 'alice', type: 'user', shared: true, confirm: 'alice' };
    const receipt = await client.post<ErasureReceipt>(PATHS.eraseUser, erase);
    expect(receipt.counts).toMatchObject(counts);
    expect(receipt.places.map(({ namespace }) => namespace).sort()).toEqual([
      'app:person:alice',
      'customers:acme:alice',
      'customers:globex:alice:trips',
    ]);
    expect((await client.get<UserDetail>(PATHS.user, { id: 'alice' })).counts).toMatchObject({
      memories: 0,
      sessions: 0,
    });
    expect((await client.get<UserDetail>(PATHS.user, { id: 'a*' })).counts).toMatchObject(counts);
    expect(await store.within(['user', 'alice']).get('one')).toBeDefined();
    expect(await store.within(['customers', 'alice']).get('one')).toBeDefined();
  });

  it('below a root namespace, only what is there is erased of a user', async () => {
    const { config, client } = await open({ namespace: ['tenant one'] });
    const root = await config.memory();
    const outside = await config.configuration.memory();
    await root.within(['u', 'alice']).put({ id: 'one', content: 'alice of one' });
    await outside.within(['tenant two', 'u', 'alice']).put({ id: 'one', content: 'alice of two' });
    const { items } = await client.get<UsersPage>(PATHS.users);
    expect(items).toMatchObject([{ id: 'alice', recordCount: 1 }]);
    const erase = { id: 'alice', type: 'user', shared: true, confirm: 'alice' };
    const receipt = await client.post<ErasureReceipt>(PATHS.eraseUser, erase);
    expect(receipt.places).toEqual([{ namespace: 'u:alice', kind: 'memory', recordCount: 1 }]);
    expect(await root.within(['u', 'alice']).get('one')).toBeUndefined();
    expect(await outside.within(['tenant two', 'u', 'alice']).get('one')).toBeDefined();
    await outside.close();
  });
});
