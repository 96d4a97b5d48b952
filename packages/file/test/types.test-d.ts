/*
 * Type tests: these classes fit into the agent frameworks without adapters. Only `tsc` checks this file
 * (npm run typecheck).
 */
import type { DurableSession, JsonObject, RecordStore, SessionStore } from '@keepsake/core';
import { recentItems } from '@keepsake/core';
import { encrypted } from '@keepsake/privacy';
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
  FileSession,
  type FileSessionOptions,
  FileSessionStore,
  FileStore,
  type FileStoreOptions,
} from '../src/index.ts';

const directory = '.keepsake';
const keys = { current: 'k', keys: {} };

export async function sessionsGoIntoRuns(agent: Agent, runner: Runner): Promise<void> {
  // Without a type argument, the item type follows from the framework's option.
  await run(agent, 'x', { session: new FileSession({ directory: '.keepsake' }) });
  await runner.run(agent, 'x', { session: new FileSession({ directory, sessionId: 'chat' }), stream: true });
  await run(agent, 'x', { session: encrypted(new FileSession({ directory }), keys) });
  await run(agent, 'x', { session: new FileSessionStore({ directory }).open('chat') });

  const session = new FileSession<AgentInputItem>({ directory });
  session satisfies AgentsSession;
  session satisfies SessionHistoryTransactionAwareSession;
  session satisfies SessionHistoryRewriteAwareSession;
  session satisfies DurableSession<AgentInputItem>;
  encrypted(session, keys) satisfies SessionHistoryTransactionAwareSession & SessionHistoryRewriteAwareSession;
  new FileSessionStore({ directory }).open<AgentInputItem>() satisfies AgentsSession;
  await run(agent, 'x', {
    session,
    sessionInputCallback: async (_, input) => [...(await recentItems(session, {})), ...input],
  });

  // A separate declaration can name the item type or leave it out.
  const field: { readonly session: FileSession<AgentInputItem> } = { session: new FileSession({ directory }) };
  await run(agent, 'x', field);
  const declared: AgentsSession = new FileSession({ directory });
  declared satisfies AgentsSession;

  const plain: FileSession = new FileSession({ directory });
  plain satisfies DurableSession<JsonObject>;
  await run(agent, 'x', { session: plain });
  const opened = new FileSessionStore({ directory }).open('chat');
  await run(agent, 'x', { session: opened });
  const sealed = encrypted(plain, keys);
  await run(agent, 'x', { session: sealed });
  // @ts-expect-error a session with another item type
  await run(agent, 'x', { session: new FileSession<{ readonly note: string }>({ directory }) });
}

export function sessionOptions(): void {
  // @ts-expect-error `directory` is required
  new FileSession();
  // @ts-expect-error items are objects
  type _Texts = FileSession<string>;
  ({ directory, durability: 'os', onCorrupt: (report) => report }) satisfies FileSessionOptions;
  // @ts-expect-error unknown durability
  ({ directory, durability: 'none' }) satisfies FileSessionOptions;
  new FileSessionStore({ directory }) satisfies SessionStore;
}

export async function storesGoIntoAgents(model: Model): Promise<void> {
  const store = new FileStore({ directory, name: 'facts' });
  store satisfies StrandsStore;
  store satisfies RecordStore;
  new StrandsAgent({ model, memoryManager: { stores: [store], addToolConfig: true } });
  new StrandsAgent({ model, memoryManager: { stores: [new FileStore({ directory, name: 'facts' })] } });
  new MemoryManager({ stores: [store], addToolConfig: { stores: [store, 'facts'] } });

  const eager = new FileStore({ directory, name: 'facts', extraction: true });
  eager satisfies StrandsStore;
  new StrandsAgent({ model, memoryManager: { stores: [eager] } });

  const settings: ExtractionConfig = { trigger: new InvocationTrigger() };
  const configured = new FileStore({ directory, name: 'facts', extraction: settings });
  configured satisfies StrandsStore;
  const inline = new FileStore({
    directory,
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

  // As in the declaration of a field.
  const declared: FileStore = new FileStore({ directory, name: 'facts', extraction: settings });
  const options: FileStoreOptions = { directory, name: 'facts', extraction: settings };
  new StrandsAgent({ model, memoryManager: { stores: [declared, new FileStore(options)] } });
  const stores: StrandsStore[] = [store, eager, configured, inline, below];
  new StrandsAgent({ model, memoryManager: { stores } });
}

export function storeOptions(): void {
  // @ts-expect-error `name` is required
  new FileStore({ directory });
  // @ts-expect-error `directory` is required
  new FileStore({ name: 'facts' });
  // @ts-expect-error a string is not an extraction setting
  new FileStore({ directory, name: 'facts', extraction: 'always' });
}
