import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryManager, type RecordStore } from '@keepsake/core';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { putTimes } from '@keepsake/testing/put-times';
import { expect, it } from 'vitest';
import { WriteGate } from '../src/guards/write-gate.ts';
import { MemorySpace, type Principal } from '../src/index.ts';
import type { Place } from './backends/backend.ts';
import { onEveryBackend } from './backends/index.ts';
import { beforeNextDeletion, contents, refused } from './support.ts';

const SECRET = 'sentinel-5b1';
const agents = { bot: { sharedNamespaces: ['docs'] }, other: { owner: 'ines', sharedWith: ['*'] } };
const options = {
  agents,
  pools: { docs: { readers: ['*'], writers: ['*'] } },
  teams: { crew: { owner: 'ada', members: ['*'] } },
};
const alice = { id: 'alice' };
const bob = { id: 'bob' };

function spaceOf({ store, sessions }: Place): MemorySpace {
  return new MemorySpace({ store, sessions, ...options });
}

/** How many memories each user has with each agent, apart from one in a child namespace. */
const MEMORIES = 6;

/** Stores every kind of user data: memories, child namespaces, an outbox, shared entries, conversations. */
async function fill(place: Place, id: string): Promise<void> {
  const space = spaceOf(place);
  for (const agent of ['bot', 'other']) {
    const scope = space.as({ principal: { id }, agent, team: 'crew' });
    await scope.memory.putMany(
      Array.from({ length: MEMORIES }, (_, n) => ({ content: `${SECRET} of ${id} ${n}`, metadata: { note: SECRET } })),
    );
    await scope.memory.within(['s1']).put({ content: `${SECRET} of ${id} before the split` });
    for (const session of ['s1', 's2']) await scope.session(session).addItems([{ content: `${SECRET} of ${id}` }]);
    await scope.team().put({ id: `${id} ${agent}`, content: `${SECRET} of ${id}` });
  }
  const scope = space.as({ principal: { id }, agent: 'bot' });
  await scope.pool('docs').putMany([
    { id: `${id} 1`, content: `${SECRET} of ${id}` },
    { id: 'both', content: `of ${id}` },
  ]);
  const stuck: RecordStore = scope.memory.within([], {
    name: 'stuck',
    extraction: { trigger: { name: 'never', attach() {} } },
  });
  const manager = new MemoryManager({ stores: [stuck], outbox: scope.memory });
  const chat = manager.conversation({ id: 'chat' });
  chat.observe({ role: 'user', content: `${SECRET} of ${id} observed` });
  await chat.endTurn();
}

onEveryBackend((newPlace) => {
  it('eraseUser removes memories, child namespaces, outboxes and sessions of all agents, nothing of other users, and returns counts', async () => {
    const place = newPlace();
    await fill(place, 'alice');
    await fill(place, 'alice2');
    await fill(place, 'bob');
    const space = spaceOf(place);
    const before = await contents(place);
    const dry = await space.eraseUser(alice, { dryRun: true });
    expect(await contents(place)).toEqual(before);
    const receipt = await space.eraseUser(alice);
    expect({ ...dry, dryRun: false, compacted: true, completedAt: '', namespaces: dry.namespaces.length }).toEqual({
      ...receipt,
      completedAt: '',
      namespaces: receipt.namespaces.length,
    });
    expect(receipt).toMatchObject({
      principal: { id: 'alice', type: 'user' },
      memories: 2 * (MEMORIES + 1),
      sharedEntries: 0,
      sessions: 4,
      sessionItems: 4,
    });
    expect(receipt.outboxRecords).toBeGreaterThan(0);
    expect(receipt.namespaces).toHaveLength(5);
    const memoryCounts = receipt.namespaces.filter(({ kind }) => kind === 'memory').map((one) => one.recordCount);
    expect(memoryCounts.sort()).toEqual([1, 1, MEMORIES, MEMORIES]);
    expect(receipt.namespaces.find(({ kind }) => kind === 'outbox')?.recordCount).toBe(receipt.outboxRecords);
    const scope = space.as({ principal: alice, agent: 'bot' });
    expect((await scope.memory.list()).items).toEqual([]);
    expect(await scope.memory.search(SECRET)).toEqual([]);
    expect((await scope.memory.namespaces()).items).toEqual([]);
    expect((await scope.sessions.list()).items).toEqual([]);
    const after = await contents(place);
    const isHers = (name: string) => name.includes(':u:alice') && !name.includes(':u:alice2');
    expect(Object.keys(after).some(isHers)).toBe(false);
    for (const [name, held] of Object.entries(before)) if (!isHers(name)) expect(after[name]).toEqual(held);
    const left = await space.as({ principal: bob, agent: 'bot' }).sessions.list();
    expect(left.items).toHaveLength(2);
  });

  it('erasures without compacting, and a last one with it, leave no trace in storage', async () => {
    const place = newPlace();
    for (const id of ['alice', 'alice2', 'bob']) await fill(place, id);
    const space = spaceOf(place);
    const first = await space.eraseUser(alice, { sharedEntries: true, compact: false });
    expect(first).toMatchObject({ sharedEntries: 3, sessions: 4, compacted: false, damagedEntries: 0 });
    expect(await space.eraseUser(alice, { sharedEntries: true, dryRun: true })).toMatchObject({
      memories: 0,
      sharedEntries: 0,
      sessions: 0,
      compacted: false,
    });
    expect(await space.eraseUser({ id: 'alice2' }, { sharedEntries: true })).toMatchObject({ compacted: true });
    const raw = await place.raw();
    expect(raw).not.toContain(`${SECRET} of alice`);
    expect(raw).toContain(`${SECRET} of bob`);
  });

  it('eraseUser with sharedEntries removes the shared entries that the user wrote last, without a trace in storage', async () => {
    const place = newPlace();
    await fill(place, 'alice');
    await fill(place, 'bob');
    const space = spaceOf(place);
    const before = await contents(place);
    const dry = await space.eraseUser(alice, { sharedEntries: true, dryRun: true });
    expect(await contents(place)).toEqual(before);
    const receipt = await space.eraseUser(alice, { sharedEntries: true });
    expect(receipt.sharedEntries).toBe(3);
    expect(dry).toMatchObject({ sharedEntries: 3, namespaces: receipt.namespaces });
    expect(receipt.namespaces.filter(({ kind }) => kind === 'shared')).toHaveLength(2);
    const after = await contents(place);
    expect(JSON.stringify(after)).not.toContain('of alice');
    expect(after.docs).toContain('of bob');
    const raw = await place.raw();
    expect(raw).not.toContain(`${SECRET} of alice`);
    expect(raw).toContain(`${SECRET} of bob`);
    expect(await space.eraseUser(alice, { sharedEntries: true })).toMatchObject({
      memories: 0,
      outboxRecords: 0,
      sharedEntries: 0,
      sessions: 0,
      namespaces: [],
    });
  });

  it('eraseUser and exportUser include superseded memories, and leave versions of others in shared memory', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    const [hers, his] = [alice, bob].map((principal) => space.as({ principal, agent: 'bot' }));
    const { memory } = hers as NonNullable<typeof hers>;
    await memory.put({ id: 'old', content: `${SECRET} lives in Oslo` });
    await memory.put({ id: 'new', content: `${SECRET} lives in Bergen`, supersedes: 'old' });
    await hers?.pool('docs').put({ id: 'first', content: `${SECRET} opens at nine` });
    await his?.pool('docs').put({ id: 'second', content: 'opens at ten', supersedes: 'first' });
    expect(await hers?.pool('docs').history('second')).toHaveLength(2);
    const lines: string[] = [];
    for await (const line of space.exportUser(alice)) lines.push(line);
    expect(lines.filter((line) => line.includes(SECRET))).toHaveLength(3);
    const receipt = await space.eraseUser(alice, { sharedEntries: true });
    expect(receipt).toMatchObject({ memories: 2, sharedEntries: 1 });
    expect(await place.raw()).not.toContain(SECRET);
    expect(await his?.pool('docs').history('second')).toMatchObject([{ id: 'second', content: 'opens at ten' }]);
    expect(await space.eraseUser(alice, { sharedEntries: true })).toMatchObject({ memories: 0, sharedEntries: 0 });
  });

  it('eraseUser removes expired and deleted data from storage, also in otherwise empty namespaces', async () => {
    const place = newPlace();
    const space = spaceOf(place);
    const hers = space.as({ principal: alice, agent: 'bot', team: 'crew' });
    const passing = { content: `${SECRET} of alice`, ttlMs: 1 };
    await hers.memory.put(passing);
    await hers.memory.within(['s1']).put(passing);
    await hers.team().put(passing);
    await hers.pool('docs').put(passing);
    await space
      .as({ principal: bob, agent: 'bot' })
      .pool('docs')
      .put({ content: `${SECRET} of bob` });
    await hers.memory.within(['s2']).put({ id: 'k', content: `${SECRET} of alice` });
    await hers.memory.within(['s2']).delete('k');
    await sleep(20);
    const receipt = await space.eraseUser(alice, { sharedEntries: true });
    expect(receipt).toMatchObject({ memories: 0, sharedEntries: 0, namespaces: [] });
    const raw = await place.raw();
    expect(raw).not.toContain(`${SECRET} of alice`);
    expect(raw).toContain(`${SECRET} of bob`);
  });

  it('erasing the anonymous user removes conversations without authentication, and no others', async () => {
    const place = newPlace();
    const agents = { bot: {}, owned: { owner: 'ines', sharedWith: ['*'] } };
    const open = new MemorySpace({ store: place.store, sessions: place.sessions, agents, anonymous: 'noop' });
    const users = [undefined, alice, { id: 'noop', type: 'service' as const }];
    for (const agent of ['bot', 'owned']) {
      for (const principal of users)
        await open
          .as({ agent, principal })
          .session('s')
          .addItems([{ n: 1 }]);
    }
    // A session that is not a conversation of an agent belongs to nobody.
    await place.sessions.open('elsewhere:s').addItems([{ n: 1 }]);
    const exported: string[] = [];
    for await (const line of open.exportUser({ id: 'noop' })) exported.push(line);
    expect(exported.filter((line) => line.includes('"kind":"session"'))).toHaveLength(2);
    expect(await open.eraseUser({ id: 'noop' })).toMatchObject({ sessions: 2, sessionItems: 2 });
    const left = (await place.sessions.list()).items.map(({ sessionId }) => sessionId);
    expect(left.sort()).toEqual([
      'bot:s:noop:s',
      'bot:u:alice:s',
      'elsewhere:s',
      'ines:owned:s:noop:s',
      'ines:owned:u:alice:s',
    ]);
  });

  it('refuses writes of a user during their erasure and accepts them afterwards', async () => {
    const place = newPlace();
    await fill(place, 'alice');
    const space = spaceOf(place);
    const scope = space.as({ principal: alice, agent: 'bot', team: 'crew' });
    const [pool, team, session] = [scope.pool('docs'), scope.team(), scope.session('s9')];
    const erased = space.eraseUser(alice, { sharedEntries: true });
    const writes = [
      () => scope.memory.put({ content: 'x' }),
      () => scope.memory.add('x'),
      () => pool.put({ content: 'x' }),
      () => team.add('x'),
      () => session.addItems([{ n: 1 }]),
      () => session.popItem(),
      () => session.clearSession(),
      () => session.applyHistoryTransaction({ operationId: '1', transaction: { type: 'append_items', items: [] } }),
      () => session.applyHistoryMutations({ mutations: [] }),
      () => session.replaceHistoryWithCompaction([{ n: 1 }]),
      () => scope.sessions.delete('s1'),
    ];
    // All at once, before the erasure ends.
    await Promise.all(writes.map((write) => refused(write, 'CONFLICT', /being erased/)));
    await space.as({ principal: bob, agent: 'bot' }).memory.put({ content: 'of bob' });
    await erased;
    await scope.memory.put({ content: 'back again' });
    expect((await scope.memory.list()).items).toHaveLength(1);
  });

  it('eraseUser fails without a receipt if another process keeps writing', async () => {
    const place = newPlace();
    await fill(place, 'alice');
    const { store } = place;
    // Simulates another process: removed data comes back immediately.
    const haunted = new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'within') return typeof value === 'function' ? value.bind(target) : value;
        return (...args: Parameters<RecordStore['within']>) => {
          const place = target.within(...args);
          const { clear } = place;
          place.clear = async (...given) => {
            const count = await clear.apply(place, given);
            await place.put({ content: 'again' });
            return count;
          };
          return place;
        };
      },
    });
    const space = new MemorySpace({ store: haunted, sessions: place.sessions, ...options });
    await refused(() => space.eraseUser(alice), 'CONFLICT', /keeps writing/);
    expect((await spaceOf(place).eraseUser(alice)).memories).toBeGreaterThan(0);
  });

  it('exportUser returns all data of a user as JSONL, header first, and nothing of other users', async () => {
    const place = newPlace();
    await fill(place, 'alice');
    await fill(place, 'bob');
    const lines: string[] = [];
    for await (const line of spaceOf(place).exportUser(alice)) lines.push(line);
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
    const [header, ...rest] = lines.map((line) => JSON.parse(line));
    expect(header).toEqual({
      keepsake: 'user-export',
      version: 1,
      principal: { id: 'alice', type: 'user' },
      exportedAt: expect.any(String),
    });
    const kinds = Object.groupBy(rest, ({ kind }) => kind);
    expect(Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all?.length]))).toEqual({
      memory: 2 * (MEMORIES + 1),
      outbox: expect.any(Number),
      shared: 3,
      session: 4,
      item: 4,
    });
    expect(kinds.memory?.[0]).toMatchObject({
      namespace: expect.stringContaining('u:alice'),
      record: { version: putTimes(1) },
    });
    expect(JSON.stringify(rest)).not.toContain('bob');
    const none: string[] = [];
    for await (const line of spaceOf(place).exportUser({ id: 'nobody' })) none.push(line);
    expect(none).toHaveLength(1);
  });
});

it('writes are refused until the last of several erasures of their principal ends', async () => {
  const gate = new WriteGate();
  const last = Promise.withResolvers<void>();
  const erased = gate.without(alice, () => last.promise);
  await gate.without(alice, async () => {});
  await refused(() => gate.write(alice, async () => {}), 'CONFLICT', /being erased/);
  last.resolve();
  await erased;
  await gate.write(alice, async () => {});
});

it('an erasure waits for the writes in flight, also for one that fails', async () => {
  const gate = new WriteGate();
  const disk = Promise.withResolvers<void>();
  const steps: string[] = [];
  const write = gate.write(alice, () => disk.promise.finally(() => steps.push('written')));
  const erased = gate.without(alice, async () => void steps.push('erased'));
  disk.reject(new Error('The disk is full.'));
  await expect(write).rejects.toThrow('The disk is full.');
  await erased;
  expect(steps).toEqual(['written', 'erased']);
});

it('an erasure without compacting compacts nothing', async () => {
  const [store, sessions] = [new InMemoryStore({ name: 'memory' }), new InMemorySessionStore()];
  let compactions = 0;
  const compact = async () => void compactions++;
  const compacting = { store: Object.assign(store, { compact }), sessions: Object.assign(sessions, { compact }) };
  const space = new MemorySpace({ ...compacting, ...options });
  await space.eraseUser(alice, { compact: false });
  expect(compactions).toBe(0);
  await space.eraseUser(alice);
  expect(compactions).toBe(2);
});

it('a shared entry that another user replaces during the erasure stays', async () => {
  const space = new MemorySpace({ store: new InMemoryStore({ name: 'memory' }), ...options });
  const docsOf = (principal: Principal) => space.as({ principal, agent: 'bot' }).pool('docs');
  await docsOf(alice).put({ id: 'tea', content: 'of alice' });
  beforeNextDeletion(() => docsOf(bob).put({ id: 'tea', content: 'of bob' }));
  expect(await space.eraseUser(alice, { sharedEntries: true })).toMatchObject({ sharedEntries: 0 });
  expect((await docsOf(bob).get('tea'))?.content).toBe('of bob');
});
