/*
 * What the compiler has to prove: that these classes drop into the agent frameworks as they are. `tsc` checks this file
 * (npm run typecheck); nothing runs it.
 */
import type { DurableSession, JsonObject, RecordStore, SessionStore } from '@keepsake/core';
import { encrypted, recentItems } from '@keepsake/core';
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
  // The bare form: the option of the framework says what the items are.
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

  // Declared before it is known what for: the declaration has to say whose items it holds.
  const field: { readonly session: FileSession<AgentInputItem> } = { session: new FileSession({ directory }) };
  await run(agent, 'x', field);
  const declared: AgentsSession = new FileSession({ directory });
  declared satisfies AgentsSession;

  const plain: FileSession = new FileSession({ directory });
  plain satisfies DurableSession<JsonObject>;
  // @ts-expect-error a session of plain JSON is not known to hold items of an agent
  await run(agent, 'x', { session: plain });
  // @ts-expect-error neither is one of somebody else's items
  await run(agent, 'x', { session: new FileSession<{ readonly note: string }>({ directory }) });
}

export function sessionOptions(): void {
  // @ts-expect-error a file needs a place
  new FileSession();
  // @ts-expect-error an item is an object
  type _Texts = FileSession<string>;
  ({ directory, durability: 'os', onCorrupt: (report) => report }) satisfies FileSessionOptions;
  // @ts-expect-error there is no such durability
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
  await using closing = configured.within(['d']);
  closing satisfies StrandsStore;

  // As one declares a field.
  const declared: FileStore = new FileStore({ directory, name: 'facts', extraction: settings });
  const options: FileStoreOptions = { directory, name: 'facts', extraction: settings };
  new StrandsAgent({ model, memoryManager: { stores: [declared, new FileStore(options)] } });
  const stores: StrandsStore[] = [store, eager, configured, inline, below];
  new StrandsAgent({ model, memoryManager: { stores } });
}

export function storeOptions(): void {
  // @ts-expect-error an agent tells its stores apart by their names
  new FileStore({ directory });
  // @ts-expect-error a file needs a place
  new FileStore({ name: 'facts' });
  // @ts-expect-error a text is no setting
  new FileStore({ directory, name: 'facts', extraction: 'always' });
}
