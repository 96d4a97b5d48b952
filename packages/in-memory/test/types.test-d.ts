/*
 * The compiler must prove that these classes fit the agent frameworks directly. `tsc` checks this file (npm run
 * typecheck); nothing runs it.
 */
import type { DurableSession, JsonObject, RecordStore, SessionStore } from '@keepsake/core';
import { recentItems } from '@keepsake/core';
import { encrypted, redacted } from '@keepsake/privacy';
import type {
  AgentInputItem,
  Session as AgentsSession,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents';
import { type Agent, type Runner, run } from '@openai/agents';
import type { ExtractionConfig, MemoryManagerConfig, Model, MemoryStore as StrandsStore } from '@strands-agents/sdk';
import { InvocationTrigger, MemoryManager, ModelExtractor, Agent as StrandsAgent } from '@strands-agents/sdk';
import {
  InMemorySession,
  type InMemorySessionOptions,
  InMemorySessionStore,
  InMemoryStore,
  type InMemoryStoreOptions,
} from '../src/index.ts';

const keys = { current: 'k', keys: {} };

export async function sessionsGoIntoRuns(agent: Agent, runner: Runner): Promise<void> {
  // Without a type argument, the item type is inferred from the option of the framework.
  await run(agent, 'x', { session: new InMemorySession() });
  await runner.run(agent, 'x', { session: new InMemorySession({ sessionId: 'chat' }), stream: true });
  await run(agent, 'x', { session: encrypted(new InMemorySession(), keys) });
  await run(agent, 'x', { session: redacted(new InMemorySession()) });
  await run(agent, 'x', { session: new InMemorySessionStore().open('chat') });

  const session = new InMemorySession<AgentInputItem>();
  session satisfies AgentsSession;
  session satisfies SessionHistoryTransactionAwareSession;
  session satisfies SessionHistoryRewriteAwareSession;
  session satisfies DurableSession<AgentInputItem>;
  encrypted(session, keys) satisfies SessionHistoryTransactionAwareSession & SessionHistoryRewriteAwareSession;
  redacted(encrypted(session, keys)) satisfies SessionHistoryTransactionAwareSession &
    SessionHistoryRewriteAwareSession;
  redacted<AgentInputItem>(session as AgentsSession) satisfies AgentsSession;
  new InMemorySessionStore().open<AgentInputItem>() satisfies AgentsSession;
  await run(agent, 'x', {
    session,
    sessionInputCallback: async (_, input) => [...(await recentItems(session, {})), ...input],
  });

  // Nothing to infer from: the declaration must name the item type.
  const field: { readonly session: InMemorySession<AgentInputItem> } = { session: new InMemorySession() };
  await run(agent, 'x', field);
  const declared: AgentsSession = new InMemorySession();
  declared satisfies AgentsSession;

  const plain: InMemorySession = new InMemorySession();
  plain satisfies DurableSession<JsonObject>;
  await run(agent, 'x', { session: plain });
  const opened = new InMemorySessionStore().open('chat');
  await run(agent, 'x', { session: opened });
  // @ts-expect-error items of another type are not agent items
  await run(agent, 'x', { session: new InMemorySession<{ readonly note: string }>() });
}

export function sessionOptions(items: AgentInputItem[]): void {
  new InMemorySession({ initialItems: items }) satisfies AgentsSession;
  new InMemorySession({ sessionId: 'chat', initialItems: [{ note: 'x' }] }) satisfies DurableSession<{ note: string }>;
  ({ initialItems: items }) satisfies InMemorySessionOptions<AgentInputItem>;
  // @ts-expect-error initial items must be items of the session
  new InMemorySession<AgentInputItem>({ initialItems: [{ note: 'x' }] });
  // @ts-expect-error an item must be an object
  type _Texts = InMemorySession<string>;
  new InMemorySessionStore() satisfies SessionStore;
}

export async function storesGoIntoAgents(model: Model): Promise<void> {
  const store = new InMemoryStore({ name: 'facts' });
  store satisfies StrandsStore;
  store satisfies RecordStore;
  new StrandsAgent({ model, memoryManager: { stores: [store], addToolConfig: true } });
  new StrandsAgent({ model, memoryManager: { stores: [new InMemoryStore({ name: 'facts' })] } });
  new MemoryManager({ stores: [store], addToolConfig: { stores: [store, 'facts'] } });

  const eager = new InMemoryStore({ name: 'facts', extraction: true });
  eager satisfies StrandsStore;
  new StrandsAgent({ model, memoryManager: { stores: [eager] } });

  const settings: ExtractionConfig = { trigger: new InvocationTrigger() };
  const configured = new InMemoryStore({ name: 'facts', extraction: settings });
  configured satisfies StrandsStore;
  const inline = new InMemoryStore({
    name: 'facts',
    extraction: {
      trigger: [new InvocationTrigger()],
      extractor: new ModelExtractor(),
      filter: { exclude: ['toolUse', 'toolResult', 'reasoning'] },
    },
  });
  inline satisfies StrandsStore;
  ({ stores: [store, eager, configured, inline] }) satisfies MemoryManagerConfig;

  const below = store.within(['agent', 'alice'], { name: 'alice', extraction: settings });
  below satisfies StrandsStore;
  new StrandsAgent({ model, memoryManager: { stores: [below, eager.within(['b']), configured.within(['c'])] } });
  configured.within(['d']) satisfies StrandsStore & AsyncDisposable;

  // With declared types, as for a class field.
  const declared: InMemoryStore = new InMemoryStore({ name: 'facts', extraction: settings });
  const options: InMemoryStoreOptions = { name: 'facts', extraction: settings };
  new StrandsAgent({ model, memoryManager: { stores: [declared, new InMemoryStore(options)] } });
  const stores: StrandsStore[] = [store, eager, configured, inline, below];
  new StrandsAgent({ model, memoryManager: { stores } });
}

export function storeOptions(): void {
  // @ts-expect-error `name` is required
  new InMemoryStore({});
  // @ts-expect-error a string is not a setting
  new InMemoryStore({ name: 'facts', extraction: 'always' });
  new InMemoryStore({ name: 'facts', extraction: { filter: (message) => message, deadlineMs: 1_000 } });
  // @ts-expect-error `trigger` is misspelt
  new InMemoryStore({ name: 'facts', extraction: { triger: new InvocationTrigger() } });
}
