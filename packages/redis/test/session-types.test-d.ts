/*
 * Type tests: sessions can be passed to the runner of @openai/agents as they are, and clients of ioredis are accepted. `tsc`
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
import type { Cluster, Redis } from 'ioredis';
import { type RedisClient, RedisSession, type RedisSessionOptions, RedisSessionStore } from '../src/index.ts';

const keys = { current: 'k', keys: {} };

export async function sessionsGoIntoRuns(agent: Agent, runner: Runner, client: Redis, cluster: Cluster): Promise<void> {
  client satisfies RedisClient;
  cluster satisfies RedisClient;
  // The option of the framework determines the type of the items.
  await run(agent, 'x', { session: new RedisSession({ client }) });
  await runner.run(agent, 'x', { session: new RedisSession({ client: cluster, sessionId: 'chat' }), stream: true });
  await run(agent, 'x', { session: encrypted(new RedisSession({ client }), keys) });
  await run(agent, 'x', { session: new RedisSessionStore({ client }).open('chat') });

  const session = new RedisSession<AgentInputItem>({ client });
  session satisfies AgentsSession;
  session satisfies SessionHistoryTransactionAwareSession;
  session satisfies SessionHistoryRewriteAwareSession;
  session satisfies DurableSession<AgentInputItem>;
  encrypted(session, keys) satisfies SessionHistoryTransactionAwareSession & SessionHistoryRewriteAwareSession;
  new RedisSessionStore({ client: cluster }).open<AgentInputItem>() satisfies AgentsSession;
  await run(agent, 'x', {
    session,
    sessionInputCallback: async (_, input) => [...(await recentItems(session, {})), ...input],
  });

  // A session that is declared separately needs the type of its items.
  const field: { readonly session: RedisSession<AgentInputItem> } = { session: new RedisSession({ client }) };
  await run(agent, 'x', field);
  const plain: RedisSession = new RedisSession({ client });
  plain satisfies DurableSession<JsonObject>;
  await run(agent, 'x', { session: plain });
  // @ts-expect-error nor may a session of other items
  await run(agent, 'x', { session: new RedisSession<{ readonly note: string }>({ client }) });
}

export function sessionOptions(client: Redis): void {
  // @ts-expect-error a client is required
  new RedisSession({});
  // @ts-expect-error items are objects
  type _Texts = RedisSession<string>;
  const options = { client, ttlMs: 1, refresh: 'access', keyPrefix: 'a:', onCorrupt() {} } as const;
  options satisfies RedisSessionOptions;
  ({ client, onCorrupt: ({ sessionId, key, index }) => [sessionId, key, index] }) satisfies RedisSessionOptions;
  // @ts-expect-error unknown value of `refresh`
  ({ client, refresh: 'never' }) satisfies RedisSessionOptions;
  new RedisSessionStore({ client }) satisfies SessionStore;
}
