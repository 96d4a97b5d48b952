import type { Conversation, MemoryManager } from '@keepsake/core';
import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  AgentResultEvent,
  BeforeInvocationEvent,
  InvokeModelStage,
  type LocalAgent,
  type Message,
  MessageAddedEvent,
  type Plugin,
} from '@strands-agents/sdk';
import { endingTurns } from './agent-trigger.ts';
import { toMessages, withInjected } from './messages.ts';
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
  expectKnownFields(options, OPTIONS);
  const { conversationId, name = 'keepsake' } = options;
  return {
    name,
    getTools: () => memory.tools().map(toStrandsTool),
    initAgent(agent) {
      const chat = memory.conversation({ id: conversationId ?? agent.sessionId });
      inject(agent, chat);
      observe(agent, chat);
    },
  };
}

function inject(agent: LocalAgent, chat: Conversation): void {
  agent.addMiddleware(InvokeModelStage.Input, async (context) => {
    const messages = toMessages(context.messages);
    return withInjected(context, messages, await chat.inject(messages, { signal: agent.cancelSignal }));
  });
}

function observe(agent: LocalAgent, chat: Conversation): void {
  const added = new Map<string, Message>();
  let answer: string | undefined;
  let open = false;

  const observe = () => {
    // Reads the current messages, because a guardrail may have redacted what the user said.
    const present = new Map(agent.messages.map((message) => [message.trackingId, message]));
    chat.observe(...toMessages([...added].map(([id, message]) => present.get(id) ?? message)));
    added.clear();
  };
  const endTurn = async (failed: boolean) => {
    open = false;
    endingTurns.set(chat.id, agent);
    try {
      await chat.endTurn({ failed });
    } catch {
      // The manager has reported the failure. The answer must not be lost because of it.
    } finally {
      endingTurns.delete(chat.id);
    }
  };

  agent.addHook(BeforeInvocationEvent, async () => {
    // An invocation that throws or is abandoned has no result. It is detected when the next one begins.
    if (open) await endTurn(true);
    open = true;
    // The user will ask an unanswered question again.
    added.clear();
  });
  agent.addHook(MessageAddedEvent, ({ message }) => void added.set(message.trackingId, message));
  agent.addHook(AfterModelCallEvent, ({ stopData }) => {
    answer = stopData?.message.trackingId;
  });
  agent.addHook(AfterInvocationEvent, () => {
    // If the agent resumes automatically after an answer, there is no result event for it. An answer from the SDK
    // instead of the model doesn't count.
    if ([...added.keys()].at(-1) === answer) observe();
  });
  agent.addHook(AgentResultEvent, async ({ result }) => {
    if (result.stopReason !== 'cancelled') observe();
    await endTurn(UNFINISHED.includes(result.stopReason));
  });
}

/** Cancelled, or waiting for a human or the next process. Such a turn counts when it is completed. */
const UNFINISHED: readonly string[] = ['cancelled', 'interrupt', 'checkpoint'];
