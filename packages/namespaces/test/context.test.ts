import { setTimeout as sleep } from 'node:timers/promises';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { MemorySpace } from '../src/index.ts';
import { onEveryBackend } from './backends/index.ts';
import { call, refused } from './support.ts';

const USERS = rounds(50, 10);
/** Of each user. More than there are keys, so that memories are replaced. */
const TURNS = rounds(20, 6);

const agents = { planner: { autoMemory: true }, helper: { sharedNamespaces: ['docs'] } };
const pools = { docs: { readers: ['*'], writers: ['*'] } };
const options = { agents, pools, teams: { crew: { members: ['*'] } } };

function inMemorySpace() {
  const store = new InMemoryStore({ name: 'memory' });
  return new MemorySpace({ store, sessions: new InMemorySessionStore(), ...options });
}

it('calls outside of any context are refused', async () => {
  const space = inMemorySpace();
  await refused(() => space.current(), 'INVALID_ARGUMENT', /outside of run\(\)/);
  for (const tool of space.tools('helper')) {
    await refused(
      () => tool.execute({ key: 'k', content: 'x', query: 'x', pool: 'docs' }),
      'INVALID_ARGUMENT',
      /outside/,
    );
  }
  await space.run({ principal: { id: 'alice' }, agent: 'helper' }, async () => sleep(1));
  await refused(() => space.current(), 'INVALID_ARGUMENT', /outside/);
  await refused(() => space.tools('nope'), 'INVALID_ARGUMENT', /no agent "nope"/);
});

it('tools registered once act for the principal of the context and for their own agent', async () => {
  const space = inMemorySpace();
  const tools = { planner: space.tools('planner'), helper: space.tools('helper') };
  expect([tools.planner.length, tools.helper.length]).toEqual([10, 15]);
  await space.run({ principal: { id: 'alice' }, agent: 'planner', team: 'crew' }, async () => {
    await call(tools.planner, 'remember', { key: 'k', content: 'of the planner' });
    await call(tools.helper, 'remember', { key: 'k', content: 'of the helper' });
    expect(await call(tools.planner, 'recall', { key: 'k' })).toBe('of the planner');
    await call(tools.helper, 'share_finding', { key: 'k', content: 'of the team' });
    await call(tools.helper, 'share_to', { pool: 'docs', key: 'k', content: 'of the pool' });
  });
  const helper = space.as({ principal: { id: 'alice' }, agent: 'helper' });
  expect((await helper.memory.get('k'))?.content).toBe('of the helper');
  await space.run({ principal: { id: 'bob' }, agent: 'planner', team: 'crew' }, async () => {
    expect(await call(tools.planner, 'recall', { key: 'k' })).toBe("No memory found for key 'k'.");
    expect(await call(tools.helper, 'read_shared', { key: 'k' })).toBe('k: of the team (by u:alice)');
  });
  await space.run({ principal: { id: 'bob' }, agent: 'planner' }, () =>
    refused(() => call(tools.planner, 'list_shared'), 'INVALID_ARGUMENT', /has no team/),
  );
});

it('after a nested agent, even a failed one, the context of its parent is restored', async () => {
  const space = inMemorySpace();
  const seen: string[] = [];
  const note = () => seen.push(space.current().namespace.join(':'));
  await space.run({ principal: { id: 'alice' }, agent: 'planner' }, async () => {
    note();
    const { principal } = space.current();
    await space.run({ principal, agent: 'helper' }, async () => {
      await sleep(1);
      note();
      space.run({ principal: { id: 'bob' }, agent: 'planner' }, note);
      note();
    });
    note();
    const failing = space.run({ principal, agent: 'helper' }, async () => {
      await sleep(1);
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    note();
  });
  expect(seen.map((name) => name.replace('agent:', ''))).toEqual([
    'planner:u:alice',
    'helper:u:alice',
    'planner:u:bob',
    'helper:u:alice',
    'planner:u:alice',
    'planner:u:alice',
  ]);
});

it('two spaces have separate contexts, and nested agents keep the anonymous user', async () => {
  const [one, two] = [inMemorySpace(), inMemorySpace()];
  await one.run({ principal: { id: 'alice' }, agent: 'helper' }, () =>
    refused(() => two.current(), 'INVALID_ARGUMENT', /outside/),
  );
  const open = new MemorySpace({ store: new InMemoryStore({ name: 'memory' }), anonymous: 'noop', ...options });
  await open.run({ agent: 'planner' }, async (scope) => {
    const nested = open.run({ principal: scope.principal, agent: 'helper' }, ({ namespace }) => namespace);
    expect(nested).toEqual(['agent', 'helper', 'u', 'noop']);
    expect(open.current('helper').actorId).toBe('helper');
  });
});

onEveryBackend((newPlace) => {
  it(`${USERS} users at once, nested agents, ${USERS * TURNS} turns: no crosstalk`, async () => {
    const place = newPlace();
    const space = new MemorySpace({ store: place.store, sessions: place.sessions, ...options });
    const tools = { planner: space.tools('planner'), helper: space.tools('helper') };
    const ids = Array.from({ length: USERS }, (_, n) => (n % 2 === 0 ? `user:${n / 2}` : `user:${(n - 1) / 2}:x`));
    const foreign: string[] = [];
    const check = (id: string, text: string) => {
      for (const [mark] of text.matchAll(/<[^<>]*>/g))
        if (mark.startsWith('<of ') && mark !== `<of ${id}>`) foreign.push(mark);
    };
    await Promise.all(
      ids.map(async (id) => {
        const principal = { id };
        for (let turn = 0; turn < TURNS; turn++) {
          await space.run({ principal, agent: 'planner', team: 'crew' }, async (scope) => {
            await scope.turn({ sessionId: 'chat', input: `<of ${id}> ask ${turn}` }, async (messages) => {
              check(id, JSON.stringify(messages));
              await call(tools.planner, 'remember', { key: `k${turn % 5}`, content: `of ${id} turn ${turn}` });
              await space.run({ principal, agent: 'helper' }, async () => {
                await call(tools.helper, 'remember', { key: 'k', content: `helper of ${id}` });
                expect(space.current().principal.id).toBe(id);
                expect(await call(tools.helper, 'recall', { key: 'k' })).toBe(`helper of ${id}`);
              });
              expect(space.current().namespace).toEqual(['agent', 'planner', 'u', id]);
              expect(await call(tools.planner, 'recall', { key: `k${turn % 5}` })).toBe(`of ${id} turn ${turn}`);
              return `<of ${id}> answer ${turn}`;
            });
          });
        }
      }),
    );
    expect(foreign).toEqual([]);
    for (const id of ids) {
      const scope = space.as({ principal: { id }, agent: 'planner' });
      const said = await scope.session('chat').getItems();
      expect(said.map(({ content }) => content)).toEqual(
        Array.from({ length: TURNS }, (_, n) => [`<of ${id}> ask ${n}`, `<of ${id}> answer ${n}`]).flat(),
      );
      const { items } = await scope.memory.list();
      expect(items.map(({ content }) => content).sort()).toEqual(
        Array.from({ length: 5 }, (_, k) => `of ${id} turn ${TURNS - 5 + k}`).sort(),
      );
    }
  });
});
