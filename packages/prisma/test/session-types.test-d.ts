/*
 * What the compiler has to prove: that sessions drop into the runner of @openai/agents as they are, and that generated
 * clients are what they ask for. `tsc` checks this file (npm run typecheck); nothing runs it.
 */
import type { DurableSession, JsonObject, SessionStore } from '@keepsake/core';
import { encrypted, recentItems } from '@keepsake/core';
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
  // The bare form: the option of the framework says what the items are.
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

  // @ts-expect-error a session of plain JSON is not known to hold items of an agent
  await run(agent, 'x', { session: new PrismaSession({ prisma }) as PrismaSession<JsonObject> });
}

/** A client as it is, one that was extended, and one within a transaction. */
export async function clients(prisma: PrismaClient, sqlite: SqliteClient): Promise<void> {
  prisma satisfies PrismaLike;
  sqlite satisfies PrismaLike;
  prisma.$extends({ query: { $allModels: { findMany: ({ args, query }) => query(args) } } }) satisfies PrismaLike;
  await prisma.$transaction(async (transaction) => {
    transaction satisfies PrismaLike;
  });
}

export function sessionOptions(prisma: PrismaClient): void {
  // @ts-expect-error it needs a client
  new PrismaSession({});
  // @ts-expect-error an item is an object
  type _Texts = PrismaSession<string>;
  const options = { prisma, ttlMs: 1, refresh: 'access', onCorrupt() {} } as const;
  options satisfies PrismaSessionOptions;
  ({ prisma, onCorrupt: ({ sessionId, seq }) => [sessionId, seq] }) satisfies PrismaSessionOptions;
  // @ts-expect-error there is no such refresh
  ({ prisma, refresh: 'never' }) satisfies PrismaSessionOptions;
  new PrismaSessionStore({ prisma }) satisfies SessionStore;
}
