import { isMemoryError, type JsonObject, type RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { type CutPoint, startProxy, type TcpProxy } from '@keepsake/services';
import { rounds } from '@keepsake/testing/share';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';
import { connectTo } from './connect-to.ts';
import { sharedDatabase } from './databases.ts';
import type { PrismaClient } from './generated/postgresql/client.ts';

const POINTS: readonly CutPoint[] = ['request', 'reply', 'half-reply'];
const ROUNDS = rounds(3);

const shared = sharedDatabase('PostgreSQL');

let proxy: TcpProxy;
/** Connects through the proxy. */
let prisma: PrismaClient;
/** Connects directly. */
let elsewhere: PrismaClient;
let caseNumber = 0;

beforeEach(async () => {
  const url = new URL(shared.database.url);
  proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `${proxy.host}:${proxy.port}`;
  prisma = connectTo(url.href, { connections: 1 });
  elsewhere = shared.database.prisma;
  caseNumber++;
});
afterEach(async () => {
  await prisma.$disconnect();
  await proxy.stop();
});

/** The outcome of a call whose connection is cut at a request that contains a text. */
async function outcomeWhenCut(point: CutPoint, sqlText: string, call: () => Promise<unknown>): Promise<unknown> {
  const cut = proxy.cutAt(point, sqlText);
  const end = await call().catch((error: unknown) => error);
  await cut;
  return end;
}

const say = (text: string) => ({ type: 'message', text });
const functionCall = (callId: string, text: string) => ({ type: 'function_call', callId, text });

interface Change<Of, State> {
  readonly change: (of: Of) => Promise<unknown>;
  /** A text of the statement at which the connection is cut. No other statement of the change contains it. */
  readonly sqlText: string;
  /** The stored state after the change. */
  readonly after: State;
  /** The effect of the same call after the change. Missing if it would make the change again. */
  readonly again?: 'nothing' | 'CONFLICT';
}

const CHANGE_SESSION = 'keepsake_change_session';

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
      sqlText: 'keepsake_append_items',
      after: [...items, ...batch],
    },
    {
      change: transaction('append', []),
      sqlText: CHANGE_SESSION,
      after: [...items, ...batch],
      again: 'nothing',
    },
    {
      change: transaction('replace', items.slice(-2)),
      sqlText: CHANGE_SESSION,
      after: [...items.slice(0, -2), ...batch],
      again: 'nothing',
    },
    { change: (session) => session.popItem(), sqlText: 'keepsake_pop_item', after: items.slice(0, -1) },
    {
      change: (session) =>
        session.applyHistoryMutations({
          mutations: [
            { type: 'replace_function_call', callId: 'c', replacement: functionCall('c', `replaced ${round}`) },
          ],
        }),
      sqlText: CHANGE_SESSION,
      after: items.map((item) => (item.callId === 'c' ? functionCall('c', `replaced ${round}`) : item)),
      again: 'nothing',
    },
    {
      change: (session) => session.replaceHistoryWithCompaction(compacted),
      sqlText: CHANGE_SESSION,
      after: compacted,
      again: 'nothing',
    },
    { change: (session) => session.clearSession(), sqlText: CHANGE_SESSION, after: [], again: 'nothing' },
    {
      change: async (session) => new PrismaSessionStore({ prisma }).delete(await session.getSessionId()),
      sqlText: 'DELETE FROM keepsake_sessions',
      after: [],
      again: 'nothing',
    },
  ];
}

type Records = Readonly<Record<string, readonly [content: string, puts: number]>>;

function recordChanges(round: number): Change<RecordStore, Records>[] {
  const content = `tea ${round}`;
  const existing: Records = { x: ['tea', 1] };
  // Of a record that is there, the statement that names its last change.
  const [inserts, updates] = ['keepsake_change_records', '"guard"'];
  return [
    { change: (store) => store.put({ id: 'y', content }), sqlText: inserts, after: { ...existing, y: [content, 1] } },
    { change: (store) => store.put({ id: 'x', content }), sqlText: updates, after: { x: [content, 2] } },
    {
      change: async (store) => store.put({ id: 'x', content }, { ifVersion: await firstVersionOf(store, 'x') }),
      sqlText: updates,
      after: { x: [content, 2] },
      again: 'CONFLICT',
    },
    {
      change: (store) => store.put({ id: 'y', content }, { ifVersion: 0 }),
      sqlText: inserts,
      after: { ...existing, y: [content, 1] },
      again: 'CONFLICT',
    },
    {
      change: (store) => store.putMany(['x', 'y', 'z'].map((id) => ({ id, content }))),
      sqlText: updates,
      after: { x: [content, 2], y: [content, 1], z: [content, 1] },
    },
    {
      change: (store) => store.add?.(content) as Promise<unknown>,
      sqlText: inserts,
      after: { ...existing, added: [content, 1] },
      again: 'nothing',
    },
    { change: (store) => store.delete('x'), sqlText: updates, after: {}, again: 'nothing' },
    {
      change: async (store) => store.delete('x', { ifVersion: await firstVersionOf(store, 'x') }),
      sqlText: updates,
      after: {},
      again: 'nothing',
    },
  ];
}

/** The version that a record had when it was created; 1 if it is gone. */
async function firstVersionOf(store: RecordStore, id: string): Promise<number> {
  const { version = 1 } = (await store.get(id)) ?? {};
  return version - putCount(version) + 1;
}

async function recordsOf(store: RecordStore): Promise<Records> {
  const { items } = await store.list({ order: 'oldest' });
  const nameOf = (id: string) => (id.length === 1 ? id : 'added');
  return Object.fromEntries(items.map(({ id, content, version }) => [nameOf(id), [content, putCount(version)]]));
}

/** Expects `OUTCOME_UNKNOWN` for a change whose connection is cut, whether or not the server has made it. */
async function expectUnknown<Of, State>(
  point: CutPoint,
  { change, sqlText, after, again }: Change<Of, State>,
  of: Of,
  state: () => Promise<State>,
): Promise<void> {
  const before = await state();
  const end = await outcomeWhenCut(point, sqlText, () => change(of));
  expect(isMemoryError(end, 'OUTCOME_UNKNOWN'), `${change}: ${end}`).toBe(true);
  expect(await state(), `${change}`).toEqual(point === 'request' ? before : after);
  if (again === undefined) return;
  // After a retry, the change has been made exactly once.
  const second = await change(of).catch((error: unknown) => error);
  const refused = again === 'CONFLICT' && point !== 'request';
  expect(isMemoryError(second, 'CONFLICT'), `${change}: ${second}`).toBe(refused);
  expect(await state(), `${change}`).toEqual(after);
}

describe.each(POINTS)('with a connection cut at the %s', (point) => {
  it('a change of a session is made fully or not at all, rejects with OUTCOME_UNKNOWN, and is made once after a retry', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const items = [say('one'), functionCall('c', 'called'), say('two'), say('three')];
      const changes = sessionChanges(items, round);
      for (const [number, change] of changes.entries()) {
        const sessionId = `${caseNumber} ${round} ${number}`;
        const direct = new PrismaSession({ prisma: elsewhere, sessionId });
        await direct.addItems(items);
        await expectUnknown(point, change, new PrismaSession({ prisma, sessionId }), () => direct.getItems());
      }
    }
  });

  it('a change of records is made fully or not at all, rejects with OUTCOME_UNKNOWN, and is made once after a retry', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [number, change] of recordChanges(round).entries()) {
        const own = { name: 'memory', namespace: [`${caseNumber} ${round} ${number}`] };
        const direct = new PrismaStore({ prisma: elsewhere, ...own });
        await direct.put({ id: 'x', content: 'tea' });
        await expectUnknown(point, change, new PrismaStore({ prisma, ...own }), () => recordsOf(direct));
      }
    }
  });

  it('a read rejects with a retryable BACKEND error, and never reports an empty history or a missing record', async () => {
    const sessionId = `read ${caseNumber}`;
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
      // Last, because it sends several statements at once, and the others would run into the next cut.
      () => store.search('tea'),
    ];
    for (const read of reads) {
      const end = await outcomeWhenCut(point, 'SELECT', read);
      expect(end, `${read}`).toMatchObject({ code: 'BACKEND', retryable: true });
    }
    expect(await session.getItems()).toEqual([say('one')]);
  });
});
