import { PGlite } from '@electric-sql/pglite';
import { type PostgresClient, PostgresSession, setup } from '@keepsake/postgres';
import postgresJs from 'postgres';
import { type Area, ofRows } from '../area.ts';
import { type SessionTargets, sessionRows } from '../backends/session-rows.ts';
import { openPostgres } from '../prisma/databases.ts';
import {
  createRawItems,
  postgresKindsThroughPrisma,
  RAW_ITEMS,
  rawSession,
  type Send,
  sendBy,
} from '../prisma/session-kinds.ts';
import type { Row } from '../row.ts';
import { FULL, QUICK } from '../sessions/scale.ts';
import type { Field, SessionKind } from '../sessions/session-kind.ts';
import { inPieces, textOf } from '../sessions/turn.ts';

const TARGETS: SessionTargets = { append: { atLeast: 0.8 }, newest: { atLeast: 0.8 } };

/**
 * Sessions in PostgreSQL through each driver, beside statements of the same one, prepared or not. The server waits for the
 * disk; PGlite is in memory.
 */
export const postgres: Area = {
  withoutPeers: true,
  title: 'PostgreSQL through each driver: sessions, where a turn is two items, together about 1 KB',
  async run({ quick, say }) {
    const scale = quick ? QUICK : FULL;
    const database = await openPostgres();
    const sql = postgresJs(database.url, { onnotice() {} });
    const pglite = await PGlite.create();
    try {
      await createRawItems(database);
      await setup(pglite);
      await pglite.exec(RAW_ITEMS);
      const rows: Row[] = [];
      const sendThrough =
        (prepare: boolean): Send =>
        async (text, values) =>
          sql.unsafe<{ item: string }[]>(text, [...values] as string[], { prepare });
      const sendToPglite: Send = async (text, values) => (await pglite.query<{ item: string }>(text, [...values])).rows;
      const unprepared: Send = async (text, values) =>
        (await database.pool.query<{ item: string }>(text, [...values])).rows;
      for (const [driver, field] of [
        ['pg', through('pg', database.pool, unprepared)],
        ['pg, prepared', through('pg, prepared', database.pool, sendBy(database.pool), true)],
        ['postgres.js', through('postgres.js', sql, sendThrough(false))],
        ['postgres.js, prepared', through('postgres.js, prepared', sql, sendThrough(true), true)],
        ['PGlite', through('PGlite', pglite, sendToPglite)],
        ['Prisma, prepared', postgresKindsThroughPrisma(database)],
      ] as const) {
        const measured = await sessionRows(field, scale, TARGETS, (what) => say(`${driver}: ${what}`));
        rows.push(...measured.map((row) => ({ ...row, measure: `${driver}, ${row.measure}` })));
      }
      return ofRows(rows);
    } finally {
      await pglite.close();
      await sql.end({ timeout: 1 });
      await database.close();
    }
  },
};

function through(raw: string, client: PostgresClient, send: Send, prepare = false): Field {
  return { raw: rawSession(raw, send, `${raw} `), keepsake: sessionThrough(client, prepare), peers: [] };
}

function sessionThrough(client: PostgresClient, prepare: boolean): SessionKind {
  return {
    name: 'PostgresSession',
    async open(_, begin = []) {
      const session = new PostgresSession({ client, prepare });
      for (const piece of inPieces(begin)) await session.addItems(piece.flatMap(({ items }) => items));
      return {
        append: ({ items }) => session.addItems(items),
        newest: async (count) => (await session.getItems(count)).map(textOf),
      };
    },
  };
}
