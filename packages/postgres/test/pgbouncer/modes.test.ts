import { type PostgresServer, startPgBouncer, startPostgres } from '@keepsake/services';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { PostgresSession, PostgresSessionStore, PostgresStore, setup } from '../../src/index.ts';
import { connectTo, SERVER_DRIVERS } from '../connect-to.ts';

const CALLERS = rounds(100, 10);

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ own: true });
});
afterAll(() => server.stop());

const MODES = ['session', 'transaction', 'statement'] as const;

it.for(SERVER_DRIVERS.flatMap((kind) => MODES.map((mode) => [kind, mode] as const)))(
  'three clients of %s share two connections through PgBouncer in %s mode',
  async ([kind, mode], context) => {
    // In session mode, a client keeps its connection.
    const connections = mode === 'session' ? 3 : 2;
    const bouncer = await startPgBouncer({ url: await server.createDatabase(), connections, mode });
    onTestFinished(() => bouncer.stop());
    // With statements sent ahead, an answer can be lost: docs/postgres.md.
    const clients = Array.from({ length: 3 }, () => connectTo(kind, bouncer.url, mode === 'session' ? 1 : 3, 0));
    onTestFinished(async () => {
      for (const { close } of clients) await close();
    });
    await Promise.all(clients.map(({ client }) => setup(client)));
    let calls = 0;
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, n) => {
        const { client } = clients[n % 3] as (typeof clients)[number];
        const session = new PostgresSession({ client, sessionId: 'shared' });
        const store = new PostgresStore({ client, name: 'memory', namespace: [`${n % 4}`] });
        await session.addItems([{ n }, { n }]);
        expect(await session.getItems(2)).toHaveLength(2);
        await store.put({ id: `${n}`, content: `tea ${n}` });
        expect(await store.search(`tea ${n}`)).not.toEqual([]);
        expect((await new PostgresSessionStore({ client }).list()).items).toHaveLength(1);
        calls += 5;
      }),
    );
    const [{ client } = clients[1] as (typeof clients)[number]] = clients;
    const items = (await new PostgresSession({ client, sessionId: 'shared' }).getItems()) as { n: number }[];
    expect(items).toHaveLength(2 * CALLERS);
    for (let i = 0; i < items.length; i += 2) expect(items[i]).toEqual(items[i + 1]);
    const { items: namespaces } = await new PostgresStore({ client, name: 'memory' }).namespaces();
    expect(namespaces.reduce((sum, { recordCount }) => sum + recordCount, 0)).toBe(CALLERS);
    show(context, 9, `through ${kind} and PgBouncer in ${mode} mode: ${count(calls)} calls at once, all made`);
  },
);
