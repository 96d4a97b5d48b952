import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import type { PrismaLike } from '../src/index.ts';
import { PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';
import { type Database, type DatabaseKind, damageItem, sharedDatabase } from './databases.ts';
import { recordingClient, type Sent } from './recording-client.ts';

/** The plan of a statement in the words of its database. */
async function planOf({ prisma, dialect }: Database, query: string, values: readonly unknown[]): Promise<string> {
  const explain = dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const rows = await prisma.$queryRawUnsafe<Record<string, unknown>[]>(`${explain} ${query}`, ...values);
  return rows.map((row) => String(row['QUERY PLAN'] ?? row.detail)).join('\n');
}

/** Of each of ten sessions. */
const ITEMS = rounds(10_000, 2_000);

/** A step that reads a whole table. */
const SCANS = /Seq Scan on keepsake_|SCAN (keepsake_\w+|s|i)( |$)(?!.*USING.*INDEX)/m;

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite'])('With 5,000 users on %s,', (kind) => {
  const shared = sharedDatabase(kind);

  it('the namespaces of one user are found by an index', async () => {
    const { prisma, dialect } = shared.database;
    const [numbers, source] =
      dialect === 'sqlite'
        ? ['WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT', 'n']
        : ['SELECT', 'generate_series(1, 5000) AS n (i)'];
    await prisma.$executeRawUnsafe(
      `INSERT INTO keepsake_namespaces (path, key, change, forgotten, records)
        ${numbers} 'agent:guide:u:user' || i, 'key ' || i, 1, 1, 1 FROM ${source}`,
    );
    await prisma.$executeRawUnsafe('ANALYZE');
    const sent: Sent[] = [];
    const store = new PrismaStore({ prisma: recordingClient(prisma, sent), name: 'memory' });
    const { items } = await store.namespaces({ segment: 'user4711' });
    expect(items).toEqual([{ namespace: ['agent', 'guide', 'u', 'user4711'], recordCount: 1 }]);
    const { sql, values } = sent.at(-1) as Sent;
    const plan = await planOf(shared.database, sql, values);
    expect(plan, sql).not.toMatch(/(Seq Scan on|SCAN) (keepsake_)?(segments|namespaces|s|n)\b/);
    await prisma.$executeRawUnsafe("DELETE FROM keepsake_namespaces WHERE path = 'agent:guide:u:user4711'");
    const left = await prisma.$queryRawUnsafe<unknown[]>("SELECT 1 FROM keepsake_segments WHERE segment = 'user4711'");
    expect(left).toEqual([]);
  });
});

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite'])(`With ${10 * ITEMS} items and 5,000 sessions on %s,`, (kind) => {
  const shared = sharedDatabase(kind);

  it('every query of a session uses an index', async () => {
    const { prisma, dialect } = shared.database;
    const item = { type: 'function_call', callId: 'c-1', name: 'f' };
    for (let number = 0; number < 10; number++) {
      const filler = new PrismaSession({ prisma, sessionId: `long ${number}` });
      await filler.addItems(Array.from({ length: ITEMS }, (_, index) => (index === 7 ? item : { index })));
    }
    const numbers =
      dialect === 'sqlite'
        ? 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT'
        : 'SELECT';
    const source = dialect === 'sqlite' ? 'n' : 'generate_series(1, 5000) AS n (i)';
    await prisma.$executeRawUnsafe(
      `INSERT INTO keepsake_sessions (id, activity, created_ms, updated_ms) ${numbers} 's' || i, 1000000 + i, 1, 1 FROM ${source}`,
    );
    await prisma.$executeRawUnsafe(
      `INSERT INTO keepsake_operations (session_key, operation_id, digest, place) ${numbers} 1000000 + i, 'o', '', i FROM ${source}`,
    );
    await prisma.$executeRawUnsafe('ANALYZE');

    const sent: Sent[] = [];
    const client = recordingClient(prisma, sent);
    const options = { ttlMs: 3_600_000, refresh: 'access', onCorrupt() {} } as const;
    const session = new PrismaSession({ prisma: client, sessionId: 'long 4', ...options });
    await session.getItems();
    await session.getItems(20);
    await damageItem(shared.database, 'long 3', ITEMS - 5);
    await new PrismaSession({ prisma: client, sessionId: 'long 3', ...options }).getItems(20);
    await session.popItem();
    await session.applyHistoryTransaction({
      operationId: 'o',
      transaction: { type: 'replace_suffix', expectedSuffix: await session.getItems(1), replacement: [{ a: 1 }] },
    });
    await session.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: 'c-1', replacement: { ...item, name: 'g' } }],
    });
    const store = new PrismaSessionStore({ prisma: client });
    const { cursor } = await store.list({ limit: 10 });
    await store.list({ limit: 10, cursor: cursor as string });
    expect((await store.list({ limit: 10, idPrefix: 's49' })).items).toHaveLength(10);
    expect((await store.list({ limit: 10, segment: 's4900' })).items).toHaveLength(1);
    await store.delete('s1');
    await store.sweep();

    const isChange = (sql: string) =>
      /keepsake_(change_session|append_items|pop_item|session_changes|session_appends)/.test(sql);
    const queries = sent.filter(({ sql }) => !isChange(sql) && !/keepsake_(meta|secrets)/.test(sql));
    expect(new Set(queries.map(({ sql }) => sql)).size).toBe(11);
    for (const { sql, values } of queries) {
      expect(await planOf(shared.database, sql, values), sql).not.toMatch(SCANS);
    }
  });

  it('every change of a session uses an index', () =>
    kind === 'SQLite' ? expectNoScanInTrigger(shared.database) : expectNoScanInFunction(shared.database));
});

/** Makes every kind of change to a long session. */
async function change(prisma: PrismaLike): Promise<void> {
  const session = new PrismaSession({ prisma, sessionId: 'long 4' });
  await session.addItems([{ a: 1 }, { b: 2 }]);
  await session.popItem();
  await session.applyHistoryTransaction({
    operationId: `${Math.random()}`,
    transaction: { type: 'replace_suffix', expectedSuffix: [{ a: 1 }], replacement: [{ c: 3 }] },
  });
}

/** PostgreSQL counts the rows that a connection reads without an index, including those in functions. */
async function expectNoScanInFunction({ prisma }: Database): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    const read = () =>
      transaction.$queryRawUnsafe(
        "SELECT relname, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname LIKE 'keepsake_%' ORDER BY relname",
      );
    await new PrismaSession({ prisma: transaction, sessionId: 'long 4' }).getItems(1);
    const before = await read();
    await change(transaction);
    expect(await read()).toEqual(before);
  });
}

/** SQLite shows the program of a statement, followed by those of its triggers. */
async function expectNoScanInTrigger({ prisma }: Database): Promise<void> {
  const sent: Sent[] = [];
  await change(recordingClient(prisma, sent));
  const changes = sent.filter(({ sql }) => /keepsake_session_(changes|appends)/.test(sql));
  expect(changes).toHaveLength(3);
  for (const { sql, values } of changes) expect(await tablesScanned(prisma, sql, values)).toEqual([]);
  // Proves that a scan is detected.
  expect(await tablesScanned(prisma, "DELETE FROM keepsake_items WHERE item = 'x'", [])).toEqual(['keepsake_items']);
}

interface Step {
  readonly addr: number | bigint;
  readonly opcode: string;
  readonly p1: number | bigint;
  readonly p2: number | bigint;
}

/** The tables that the program of a statement reads from the beginning or end, without an index. */
async function tablesScanned(prisma: PrismaLike, query: string, values: readonly unknown[]): Promise<string[]> {
  const roots = await prisma.$queryRawUnsafe<{ name: string; rootpage: number | bigint }[]>(
    "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND name LIKE 'keepsake_%' AND rootpage > 0",
  );
  const nameOf = new Map(roots.map(({ name, rootpage }) => [Number(rootpage), name]));
  const steps = await prisma.$queryRawUnsafe<Step[]>(`EXPLAIN ${query}`, ...values);
  const found = new Set<string>();
  let cursors = new Map<number, string | undefined>();
  const opened = new Set<string | undefined>();
  for (const { addr, opcode, p1, p2 } of steps) {
    // Each program numbers its own cursors.
    if (Number(addr) === 0) cursors = new Map();
    if (/^Open(Read|Write)$/.test(opcode)) {
      cursors.set(Number(p1), nameOf.get(Number(p2)));
      opened.add(nameOf.get(Number(p2)));
    }
    const table = cursors.get(Number(p1));
    if (/^(Rewind|Last)$/.test(opcode) && table !== undefined) found.add(table);
  }
  expect(opened).toContain('keepsake_items');
  return [...found];
}
