/*
 * Type tests: sessions can be passed to the runner of @openai/agents as they are, and generated clients are accepted. `tsc`
 * checks this file (npm run typecheck). Nothing runs it.
 */
import type { DurableSession, JsonObject, SessionStore } from '@keepsake/core';
import { recentItems } from '@keepsake/core';
import { encrypted } from '@keepsake/privacy';
import type {
  AgentInputItem,
  Session as AgentsSession,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents';
import { type Agent, type Runner, run } from '@openai/agents';
import { type PrismaLike, PrismaSession, type PrismaSessionOptions, PrismaSessionStore } from '../src/index.ts';
import type { PrismaClient } from './generated/postgresql/client.ts';
import type { PrismaClient as SqliteClient } from './generated/sqlite/client.ts';

const keys = { current: 'k', keys: {} };

export async function sessionsGoIntoRuns(agent: Agent, runner: Runner, prisma: PrismaClient): Promise<void> {
  // The option of the framework determines the type of the items.
  await run(agent, 'x', { session: new PrismaSession({ prisma }) });
  await runner.run(agent, 'x', { session: new PrismaSession({ prisma, sessionId: 'chat' }), stream: true });
  await run(agent, 'x', { session: encrypted(new PrismaSession({ prisma }), keys) });
  await run(agent, 'x', { session: new PrismaSessionStore({ prisma }).open('chat') });

  const session = new PrismaSession<AgentInputItem>({ prisma });
  session satisfies AgentsSession;
  session satisfies SessionHistoryTransactionAwareSession;
  session satisfies SessionHistoryRewriteAwareSession;
  session satisfies DurableSession<AgentInputItem>;
  await run(agent, 'x', {
    session,
    sessionInputCallback: async (_, input) => [...(await recentItems(session, {})), ...input],
  });

  const plain = new PrismaSession({ prisma });
  await run(agent, 'x', { session: plain });
  // @ts-expect-error items that are named as plain JSON are not items of an agent
  await run(agent, 'x', { session: new PrismaSession({ prisma }) as PrismaSession<JsonObject> });
}

/** A plain client, an extended one, and one in a transaction. */
export async function clients(prisma: PrismaClient, sqlite: SqliteClient): Promise<void> {
  prisma satisfies PrismaLike;
  sqlite satisfies PrismaLike;
  prisma.$extends({ query: { $allModels: { findMany: ({ args, query }) => query(args) } } }) satisfies PrismaLike;
  await prisma.$transaction(async (transaction) => {
    transaction satisfies PrismaLike;
  });
}

export function sessionOptions(prisma: PrismaClient): void {
  // @ts-expect-error `prisma` is required
  new PrismaSession({});
  // @ts-expect-error items are objects
  type _Texts = PrismaSession<string>;
  const options = { prisma, ttlMs: 1, refresh: 'access', onCorrupt() {} } as const;
  options satisfies PrismaSessionOptions;
  ({ prisma, onCorrupt: ({ sessionId, seq }) => [sessionId, seq] }) satisfies PrismaSessionOptions;
  // @ts-expect-error unknown value of `refresh`
  ({ prisma, refresh: 'never' }) satisfies PrismaSessionOptions;
  new PrismaSessionStore({ prisma }) satisfies SessionStore;
}
