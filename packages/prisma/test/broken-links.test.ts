import { isMemoryError, type JsonObject, type RecordStore } from '@keepsake/core';
import { type CutPoint, startProxy, type TcpProxy } from '@keepsake/services';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';
import { connectTo } from './connect-to.ts';
import { sharedDatabase } from './databases.ts';
import type { PrismaClient } from './generated/postgresql/client.ts';

const POINTS: readonly CutPoint[] = ['request', 'reply', 'half-reply'];
const ROUNDS = 3;

const shared = sharedDatabase('PostgreSQL');

/** A client whose link goes through the proxy, and one whose does not. */
let proxy: TcpProxy;
let prisma: PrismaClient;
let elsewhere: PrismaClient;
let place = 0;

beforeEach(async () => {
  const url = new URL(shared.database.url);
  proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `${proxy.host}:${proxy.port}`;
  prisma = connectTo(url.href, { connections: 1 });
  elsewhere = shared.database.prisma;
  place++;
});
afterEach(async () => {
  await prisma.$disconnect();
  await proxy.stop();
});

/** What a call ends with whose link is cut at a request that holds a text. */
async function cutUnder(point: CutPoint, holds: string, call: () => Promise<unknown>): Promise<unknown> {
  const cut = proxy.cutAt(point, holds);
  const end = await call().catch((error: unknown) => error);
  await cut;
  return end;
}

const say = (text: string) => ({ type: 'message', text });
const functionCall = (callId: string, text: string) => ({ type: 'function_call', callId, text });

interface Change<Of, State> {
  readonly change: (of: Of) => Promise<unknown>;
  /** The statement at which the link is cut: no other of the change has it. */
  readonly holds: string;
  /** What is there when the change was made. */
  readonly after: State;
  /** What the same call ends with once it was made; missing where it would be made again. */
  readonly again?: 'nothing' | 'CONFLICT';
}

const CHANGES_A_SESSION = 'keepsake_change_session';

function sessionChanges(items: readonly JsonObject[], round: number): Change<PrismaSession, readonly JsonObject[]>[] {
  const batch = [say(`a ${round}`), say(`b ${round}`)];
  const compacted = [functionCall('c', 'compacted'), say(`compacted ${round}`)];
  const transaction = (operationId: string, expectedSuffix: JsonObject[]) => (session: PrismaSession) =>
    session.applyHistoryTransaction({
      operationId: `${operationId} ${round}`,
      transaction:
        expectedSuffix.length === 0
          ? { type: 'append_items', items: batch }
          : { type: 'replace_suffix', expectedSuffix, replacement: batch },
    });
  return [
    {
      change: (session) => session.addItems(batch),
      holds: 'keepsake_append_items',
      after: [...items, ...batch],
    },
    {
      change: transaction('append', []),
      holds: CHANGES_A_SESSION,
      after: [...items, ...batch],
      again: 'nothing',
    },
    {
      change: transaction('replace', items.slice(-2)),
      holds: CHANGES_A_SESSION,
      after: [...items.slice(0, -2), ...batch],
      again: 'nothing',
    },
    { change: (session) => session.popItem(), holds: 'keepsake_pop_item', after: items.slice(0, -1) },
    {
      change: (session) =>
        session.applyHistoryMutations({
          mutations: [
            { type: 'replace_function_call', callId: 'c', replacement: functionCall('c', `replaced ${round}`) },
          ],
        }),
      holds: CHANGES_A_SESSION,
      after: items.map((item) => (item.callId === 'c' ? functionCall('c', `replaced ${round}`) : item)),
      again: 'nothing',
    },
    {
      change: (session) => session.replaceHistoryWithCompaction(compacted),
      holds: CHANGES_A_SESSION,
      after: compacted,
      again: 'nothing',
    },
    { change: (session) => session.clearSession(), holds: CHANGES_A_SESSION, after: [], again: 'nothing' },
    {
      change: async (session) => new PrismaSessionStore({ prisma }).delete(await session.getSessionId()),
      holds: 'DELETE FROM keepsake_sessions',
      after: [],
      again: 'nothing',
    },
  ];
}

type Records = Readonly<Record<string, readonly [content: string, version: number]>>;

function recordChanges(round: number): Change<RecordStore, Records>[] {
  const content = `tea ${round}`;
  const there: Records = { x: ['tea', 1] };
  const [inserts, updates] = ['INSERT INTO "keepsake_records"', 'UPDATE "keepsake_records"'];
  return [
    { change: (store) => store.put({ id: 'y', content }), holds: inserts, after: { ...there, y: [content, 1] } },
    { change: (store) => store.put({ id: 'x', content }), holds: inserts, after: { x: [content, 2] } },
    {
      change: (store) => store.put({ id: 'x', content }, { ifVersion: 1 }),
      holds: updates,
      after: { x: [content, 2] },
      again: 'CONFLICT',
    },
    {
      change: (store) => store.put({ id: 'y', content }, { ifVersion: 0 }),
      holds: inserts,
      after: { ...there, y: [content, 1] },
      again: 'CONFLICT',
    },
    {
      change: (store) => store.putMany(['x', 'y', 'z'].map((id) => ({ id, content }))),
      holds: inserts,
      after: { x: [content, 2], y: [content, 1], z: [content, 1] },
    },
    {
      change: (store) => store.add?.(content) as Promise<unknown>,
      holds: inserts,
      after: { ...there, added: [content, 1] },
      again: 'nothing',
    },
    { change: (store) => store.delete('x'), holds: 'DELETE FROM "keepsake_records"', after: {}, again: 'nothing' },
    {
      change: (store) => store.delete('x', { ifVersion: 1 }),
      holds: 'DELETE FROM "keepsake_records"',
      after: {},
      again: 'nothing',
    },
  ];
}

async function recordsOf(store: RecordStore): Promise<Records> {
  const { items } = await store.list({ order: 'oldest' });
  const nameOf = (id: string) => (id.length === 1 ? id : 'added');
  return Object.fromEntries(items.map(({ id, content, version }) => [nameOf(id), [content, version]]));
}

/** A change that was cut off was made or not, as the server knows; the caller is told that it may have been. */
async function expectUnknown<Of, State>(
  point: CutPoint,
  { change, holds, after, again }: Change<Of, State>,
  of: Of,
  state: () => Promise<State>,
): Promise<void> {
  const before = await state();
  const end = await cutUnder(point, holds, () => change(of));
  expect(isMemoryError(end, 'OUTCOME_UNKNOWN'), `${change}: ${end}`).toBe(true);
  expect(await state(), `${change}`).toEqual(point === 'request' ? before : after);
  if (again === undefined) return;
  // Whoever tries again has it made once.
  const second = await change(of).catch((error: unknown) => error);
  const refused = again === 'CONFLICT' && point !== 'request';
  expect(isMemoryError(second, 'CONFLICT'), `${change}: ${second}`).toBe(refused);
  expect(await state(), `${change}`).toEqual(after);
}

describe.each(POINTS)('a link that is cut (at the %s)', (point) => {
  it('leaves every change of a session whole or undone, OUTCOME_UNKNOWN, and its retry makes it once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const items = [say('one'), functionCall('c', 'called'), say('two'), say('three')];
      const changes = sessionChanges(items, round);
      for (const [number, change] of changes.entries()) {
        const sessionId = `${place} ${round} ${number}`;
        const there = new PrismaSession({ prisma: elsewhere, sessionId });
        await there.addItems(items);
        await expectUnknown(point, change, new PrismaSession({ prisma, sessionId }), () => there.getItems());
      }
    }
  });

  it('leaves every change of records whole or undone, OUTCOME_UNKNOWN, and its retry makes it once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [number, change] of recordChanges(round).entries()) {
        const own = { name: 'memory', namespace: [`${place} ${round} ${number}`] };
        const there = new PrismaStore({ prisma: elsewhere, ...own });
        await there.put({ id: 'x', content: 'tea' });
        await expectUnknown(point, change, new PrismaStore({ prisma, ...own }), () => recordsOf(there));
      }
    }
  });

  it('is BACKEND to what only reads, which can be tried again: never an empty history or a record that is not there', async () => {
    const sessionId = `read ${place}`;
    const store = new PrismaStore({ prisma, name: 'memory', namespace: [sessionId] });
    const session = new PrismaSession({ prisma, sessionId });
    await session.addItems([say('one')]);
    await store.put({ id: 'x', content: 'tea' });
    const reads = [
      () => session.getItems(),
      () => session.getItems(1),
      () => new PrismaSessionStore({ prisma }).list(),
      () => store.get('x'),
      () => store.list(),
      () => store.namespaces(),
      // Sends several statements at once: the others would meet the next cut.
      () => store.search('tea'),
    ];
    for (const read of reads) {
      const end = await cutUnder(point, 'SELECT', read);
      expect(end, `${read}`).toMatchObject({ code: 'BACKEND', retryable: true });
    }
    expect(await session.getItems()).toEqual([say('one')]);
  });
});
