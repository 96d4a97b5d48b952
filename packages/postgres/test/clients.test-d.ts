/* Type tests: the clients of drivers are accepted as they are. `tsc` checks this file (npm run typecheck). Nothing runs it. */
import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { Client as NeonClient, Pool as NeonPool } from '@neondatabase/serverless';
import type { AgentInputItem, Session as AgentsSession } from '@openai/agents';
import type { Client, Pool, PoolClient } from 'pg';
import type { ReservedSql, Sql, TransactionSql } from 'postgres';
import { type PostgresClient, PostgresSession, PostgresStore } from '../src/index.ts';

export function clients(
  ...all: [
    ...[Pool, Client, PoolClient, NeonPool, NeonClient],
    ...[Sql, Sql<{ bigint: bigint }>, TransactionSql, ReservedSql, PGlite, Transaction],
  ]
): void {
  all satisfies PostgresClient[];
  for (const client of all) new PostgresStore({ client, name: 'memory' });
  new PostgresSession<AgentInputItem>({ client: all[0] }) satisfies AgentsSession;
  // @ts-expect-error `client` is required
  new PostgresSession({});
  // @ts-expect-error not a client
  new PostgresSession({ client: {} });
}
