import type { Conversation, MemoryManager } from '@keepsake/core';
import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { BeforeInvocationEvent, InvokeModelStage, type LocalAgent, type Plugin } from '@strands-agents/sdk';
import { toMessages, withInjected } from './messages.ts';
import { observe } from './observe.ts';
import { strandsModel } from './strands-model.ts';
import { toStrandsTool } from './tools.ts';

export interface KeepsakeOptions {
  /**
   * The id of the conversation, which is the thread of its memories.
   *
   * @default the agent's `sessionId`
   */
  readonly conversationId?: string | undefined;
  /**
   * The name of the plugin; must be unique if an agent has several memories.
   *
   * @default 'keepsake'
   */
  readonly name?: string | undefined;
}

const OPTIONS: FieldNames<KeepsakeOptions> = { conversationId: true, name: true };

/**
 * A plugin that gives Strands agents memory: it injects memories into the model's input, registers the memory's tools, and
 * observes the conversation for extraction. Several agents can share it.
 *
 * Injected memories never enter the agent's messages. Await `memory.flush()` before the process ends.
 */
export function keepsake(memory: MemoryManager, options: KeepsakeOptions = {}): Plugin {
  const { conversationId, name = 'keepsake' } = expectKnownFields(options, OPTIONS);
  return {
    name,
    getTools: () => memory.tools().map(toStrandsTool),
    initAgent(agent) {
      const id = conversationId ?? agent.sessionId;
      const open = () => memory.conversation({ id, model: strandsModel(agent.model) });
      const chat = open();
      // The agent can have another model now.
      agent.addHook(BeforeInvocationEvent, () => void open());
      inject(agent, chat);
      observe(agent, chat);
    },
  };
}

function inject(agent: LocalAgent, chat: Conversation): void {
  agent.addMiddleware(InvokeModelStage.Input, async (context) => {
    const messages = toMessages(context.messages);
    return withInjected(context, messages, await chat.inject(messages, { signal: agent.cancelSignal }), true);
  });
}
