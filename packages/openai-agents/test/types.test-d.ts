/* Type tests: the bridge fits the published SDK. Only `tsc` checks this file (npm run typecheck). */
import { ConversationMemory } from '@keepsake/conversations';
import { MemoryManager, type MemoryModel } from '@keepsake/core';
import { InMemorySession, InMemoryStore } from '@keepsake/in-memory';
import { Agent, type Model, type Runner, run, type SessionInputCallback, type Tool } from '@openai/agents';
import { z } from 'zod';
import {
  agentsModel,
  type ContextInjection,
  type Conversations,
  conversationRunner,
  type MemoryRunnerOptions,
  memoryRunner,
  memoryTools,
  recentHistory,
} from '../src/index.ts';

const store = new InMemoryStore({ name: 'facts' });
const memory = new MemoryManager({ stores: [store] });

memoryTools(memory) satisfies Tool[];
const plain = new Agent({ name: 'Plain', tools: memoryTools(memory) });
const withContext = new Agent<{ userId: string }>({ name: 'Context', tools: memoryTools(memory) });
const structured = new Agent({ name: 'Structured', outputType: z.object({ city: z.string() }) });

export async function runs(): Promise<void> {
  const runner = memoryRunner(memory, {
    conversationId: 'thread-42',
    workflowName: 'x',
    maxTurns: 3,
  } as MemoryRunnerOptions);
  runner satisfies Runner;
  const result = await runner.run(structured, 'x', { session: new InMemorySession() });
  result.finalOutput satisfies { city: string } | undefined;
  const streamed = await runner.run(plain, 'x', { stream: true });
  await streamed.completed;
  await runner.run(withContext, 'x', { context: { userId: 'alice' } });
  await run(plain, 'x', { session: new InMemorySession(), sessionInputCallback: recentHistory({ maxTurns: 10 }) });
}

recentHistory({ maxItems: 1, maxTokens: 1_000 }) satisfies SessionInputCallback;

// @ts-expect-error the memory is required
memoryRunner();
// @ts-expect-error a store is not a memory manager
memoryTools(store);

declare const model: Model;
agentsModel(model) satisfies MemoryModel;
memoryRunner(memory, { injections: [{ render: ({ agent, messages }) => `${agent.name} ${messages.length}` }] });
({ render: async () => undefined, trigger: ({ context }) => context !== undefined }) satisfies ContextInjection;
// @ts-expect-error a text is not a function
memoryRunner(memory, { injections: [{ render: 'now' }] });

const conversations = new ConversationMemory({ store, fullSessionMemory: true });
conversations satisfies Conversations;
export async function conversationRuns(): Promise<void> {
  const runner = conversationRunner({ memory: conversations, kind: 'team', workflowName: 'x' });
  const result = await runner.run(structured, 'x', { sessionId: 'a', userId: 'alice', maxTurns: 3 });
  result.finalOutput satisfies { city: string } | undefined;
  const stream = await runner.run(plain, 'x', { stream: true });
  (await stream.saved).stored satisfies boolean;
  const resumed = await runner.resume(withContext, { context: { userId: 'alice' }, decisions: { c1: 'No.' } });
  resumed?.runId satisfies string | undefined;
  // @ts-expect-error the memory takes the place of a session
  await runner.run(plain, 'x', { session: new InMemorySession() });
}
// @ts-expect-error the memory is required
conversationRunner({});
// @ts-expect-error a memory manager has no conversations
conversationRunner({ memory });
