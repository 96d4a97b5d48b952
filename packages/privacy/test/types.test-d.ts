import type { DurableSession, JsonObject } from '@keepsake/core';
import { Agent, type AgentInputItem, type Session as AgentsSession, run } from '@openai/agents';
import { encrypted, type KeyRing } from '../src/index.ts';
import { TestSession } from './support/test-session.ts';

export async function sessionsAreThoseOfTheAgentsSdk(
  session: DurableSession<AgentInputItem>,
  keys: KeyRing,
): Promise<void> {
  encrypted(session, keys) satisfies AgentsSession;
  // Without a type argument, the item type is inferred from the option of the framework.
  await run(new Agent({ name: 'a' }), 'Hello', { session: encrypted(new TestSession<AgentInputItem>(), keys) });
}

export function interfacesCanBeItems(keys: KeyRing): void {
  interface ChatItem {
    role: 'user' | 'assistant';
    text: string;
  }
  encrypted(new TestSession<ChatItem>(), keys) satisfies DurableSession<ChatItem>;
  encrypted(new TestSession(), keys) satisfies DurableSession<JsonObject>;
}
