import type { SessionKind } from '../sessions/session-kind.ts';
import { inPieces, textOf } from '../sessions/turn.ts';
import type { PostgresDatabase } from './databases.ts';

/** The part of the example's models that is used. */
interface Models {
  readonly exampleSession: {
    upsert(args: { where: { id: string }; create: { id: string }; update: object }): Promise<unknown>;
  };
  readonly exampleItem: {
    findFirst(args: object): Promise<{ readonly position: number } | null>;
    findMany(args: object): Promise<readonly { readonly item: unknown }[]>;
    createMany(args: { data: readonly object[] }): Promise<unknown>;
  };
}

interface ExampleClient extends Models {
  $transaction<T>(work: (client: Models) => Promise<T>, options: { timeout: number }): Promise<T>;
}

/**
 * A stand-in for the Prisma session that circulates as an example for the OpenAI Agents SDK, rewritten from its behaviour:
 * each append upserts the session, then finds the last position and creates the items in a transaction. Unlike the example,
 * it does not check items.
 */
export function examplePrismaSession({ prisma, pool }: PostgresDatabase): SessionKind {
  const client = prisma as unknown as ExampleClient;
  return {
    name: 'example PrismaSession, stand-in',
    column: 'example PrismaSession',
    async open(sessionId, begin = []) {
      await pool.query(TABLES);
      const append = async (items: readonly object[]) => {
        await client.exampleSession.upsert({ where: { id: sessionId }, create: { id: sessionId }, update: {} });
        const create = async ({ exampleItem }: Models) => {
          const where = { sessionId };
          const last = await exampleItem.findFirst({
            where,
            select: { position: true },
            orderBy: { position: 'desc' },
          });
          const next = (last?.position ?? 0) + 1;
          const data = items.map((item, index) => ({ sessionId, position: next + index, item: JSON.stringify(item) }));
          await exampleItem.createMany({ data });
        };
        // The first write is larger than Prisma's default limit of 5 seconds allows.
        await client.$transaction(create, { timeout: 60_000 });
      };
      for (const piece of inPieces(begin)) await append(piece.flatMap(({ items }) => items));
      return {
        append: ({ items }) => append(items),
        async newest(count) {
          await client.exampleSession.upsert({ where: { id: sessionId }, create: { id: sessionId }, update: {} });
          const take = count === Infinity ? {} : { take: count };
          const rows = await client.exampleItem.findMany({
            where: { sessionId },
            orderBy: { position: 'desc' },
            ...take,
          });
          return rows.toReversed().map(({ item }) => textOf(JSON.parse(String(item))));
        },
      };
    },
  };
}

/** The SQL that Prisma Migrate generates for its models. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS example_sessions (
    id text NOT NULL PRIMARY KEY, created_at timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, updated_at timestamp(3) NOT NULL
  );
  CREATE TABLE IF NOT EXISTS example_items (
    id serial NOT NULL PRIMARY KEY,
    session_id text NOT NULL REFERENCES example_sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    position integer NOT NULL, item jsonb NOT NULL, created_at timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (session_id, position)
  )`;
