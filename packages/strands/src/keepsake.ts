import type { Conversation, MemoryManager } from '@keepsake/core';
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
  /** Names the conversation: the thread of what is remembered of it. By default the agent's `sessionId`. */
  readonly conversationId?: string | undefined;
  /** Tells several memories of one agent apart. Default `keepsake`. */
  readonly name?: string | undefined;
}

/**
 * Memory for Strands agents, as a plugin: what is known comes into the model's input, the memory's tools are at hand,
 * and what is said is remembered as the memory's stores are set up. Several agents may share it.
 *
 * The agent's messages never hold what was injected. Await `memory.flush()` before the process ends.
 */
export function keepsake(memory: MemoryManager, { conversationId, name = 'keepsake' }: KeepsakeOptions = {}): Plugin {
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
    // As they are now: a guardrail may have redacted what the user said.
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
      // What the outbox could not take was reported. It is no reason to lose the answer.
    } finally {
      endingTurns.delete(chat.id);
    }
  };

  agent.addHook(BeforeInvocationEvent, async () => {
    // An invocation that throws or is abandoned has no result: it shows when the next one begins.
    if (open) await endTurn(true);
    open = true;
    // What was asked in vain will be asked again.
    added.clear();
  });
  agent.addHook(MessageAddedEvent, ({ message }) => void added.set(message.trackingId, message));
  agent.addHook(AfterModelCallEvent, ({ stopData }) => {
    answer = stopData?.message.trackingId;
  });
  agent.addHook(AfterInvocationEvent, () => {
    // An answer that the agent goes on from by itself is no result yet. One that the SDK gave is not the model's.
    if ([...added.keys()].at(-1) === answer) observe();
  });
  agent.addHook(AgentResultEvent, async ({ result }) => {
    if (result.stopReason !== 'cancelled') observe();
    await endTurn(UNFINISHED.includes(result.stopReason));
  });
}

/** Cancelled, or waiting for a human or the next process; such a turn counts once it has come to its end. */
const UNFINISHED: readonly string[] = ['cancelled', 'interrupt', 'checkpoint'];
