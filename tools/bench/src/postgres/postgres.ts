import { type PostgresClient, PostgresSession } from '@keepsake/postgres';
import postgresJs from 'postgres';
import { type Area, ofRows } from '../area.ts';
import { type SessionTargets, sessionRows } from '../backends/session-rows.ts';
import { openPostgres } from '../prisma/databases.ts';
import { createRawItems, rawSession, sendBy } from '../prisma/session-kinds.ts';
import type { Row } from '../row.ts';
import { FULL, QUICK } from '../sessions/scale.ts';
import type { SessionKind } from '../sessions/session-kind.ts';
import { inPieces, textOf } from '../sessions/turn.ts';

const TARGETS: SessionTargets = { append: { atLeast: 0.8 }, newest: { atLeast: 0.8 } };

/** Sessions in PostgreSQL through each driver, beside prepared statements of the same one. The database waits for the disk. */
export const postgres: Area = {
  withoutPeers: true,
  title: 'PostgreSQL without Prisma: sessions, where a turn is two items, together about 1 KB',
  async run({ quick, say }) {
    const scale = quick ? QUICK : FULL;
    const database = await openPostgres();
    const sql = postgresJs(database.url, { onnotice() {} });
    try {
      await createRawItems(database);
      const rows: Row[] = [];
      for (const [driver, client, send] of [
        ['pg', database.pool, sendBy(database.pool)],
        [
          'postgres.js',
          sql,
          async (text: string, values: readonly unknown[]) =>
            sql.unsafe<{ item: string }[]>(text, [...values] as string[], { prepare: true }),
        ],
      ] as const) {
        const raw = rawSession(`${driver}, prepared`, send, driver);
        const field = { raw, keepsake: sessionThrough(client), peers: [] };
        const measured = await sessionRows(field, scale, TARGETS, (what) => say(`${driver}: ${what}`));
        rows.push(...measured.map((row) => ({ ...row, measure: `${driver}, ${row.measure}` })));
      }
      return ofRows(rows);
    } finally {
      await sql.end({ timeout: 1 });
      await database.close();
    }
  },
};

function sessionThrough(client: PostgresClient): SessionKind {
  return {
    name: 'PostgresSession',
    async open(_, begin = []) {
      const session = new PostgresSession({ client, prepare: true });
      for (const piece of inPieces(begin)) await session.addItems(piece.flatMap(({ items }) => items));
      return {
        append: ({ items }) => session.addItems(items),
        newest: async (count) => (await session.getItems(count)).map(textOf),
      };
    },
  };
}
