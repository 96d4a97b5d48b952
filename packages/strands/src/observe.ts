import { type Conversation, messageText, type Message as NeutralMessage } from '@keepsake/core';
import { Unanswered } from '@keepsake/internal';
import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  AgentResultEvent,
  BeforeInvocationEvent,
  type LocalAgent,
  type Message,
  MessageAddedEvent,
  ModelMessageEvent,
} from '@strands-agents/sdk';
import { endingTurns } from './agent-trigger.ts';
import { isAsk, toMessages } from './messages.ts';

/**
 * Observes the conversation of an agent: the input of a model as soon as the model has answered, because a guardrail may
 * block or redact it until then, and the rest at the end of the invocation. What is blocked is not observed.
 */
export function observe(agent: LocalAgent, chat: Conversation): void {
  /** The messages that were added and not observed, by tracking id. */
  const added = new Map<string, Message>();
  /** The messages of the model. Others, such as "Cancelled by user", are from the SDK or a hook. */
  const answers = new Set<string>();
  let last: string | undefined;
  /** Whether the last model call was blocked, with what the user said before it. */
  let isBlocked = false;
  /** What the user has said in this invocation. */
  const asked: NeutralMessage[] = [];

  const hasAnswer = () => last !== undefined && answers.has(last);
  const isFromAgent = (message: Message) => {
    const isCall = message.content.some(({ type }) => type === 'toolUseBlock');
    return message.role === 'user' || isCall || answers.has(message.trackingId);
  };
  const observeAdded = (isWanted: (message: Message) => boolean) => {
    if (isBlocked) return added.clear();
    const present = new Map(agent.messages.map((message) => [message.trackingId, message]));
    const wanted = [...added].filter(([, message]) => isWanted(message));
    for (const [id] of wanted) added.delete(id);
    // A guardrail may have replaced what the user said.
    const messages = toMessages(wanted.map(([id, message]) => present.get(id) ?? message));
    asked.push(...messages.filter(isAsk));
    chat.observe(...unanswered.fresh(chat, messages));
  };
  const endTurn = async (failed: boolean) => {
    if (failed) unanswered.failed(chat, asked);
    else unanswered.answered(chat);
    endingTurns.set(chat.id, agent);
    try {
      await chat.endTurn({ failed });
    } catch {
      // The manager has reported the failure. The answer must not be lost because of it.
    } finally {
      endingTurns.delete(chat.id);
    }
  };

  agent.addHook(BeforeInvocationEvent, () => {
    added.clear();
    answers.clear();
    last = undefined;
    isBlocked = false;
    asked.length = 0;
  });
  agent.addHook(MessageAddedEvent, ({ message }) => {
    last = message.trackingId;
    added.set(last, message);
  });
  agent.addHook(ModelMessageEvent, ({ message }) => void answers.add(message.trackingId));
  agent.addHook(AfterModelCallEvent, ({ stopData, retry }) => {
    isBlocked = BLOCKED.includes(stopData?.stopReason);
    if (stopData !== undefined && retry !== true) observeAdded(isFromAgent);
  });
  agent.addHook(AfterInvocationEvent, async () => {
    observeAdded(isFromAgent);
    // If the agent resumes automatically after an answer, there is no result event for it.
    if (hasAnswer()) unanswered.answered(chat);
    // If the invocation has failed or was abandoned, neither.
    else await endTurn(true);
  });
  agent.addHook(AgentResultEvent, async ({ result: { stopReason } }) => {
    if (stopReason !== 'cancelled') observeAdded(() => true);
    await endTurn(isBlocked || UNFINISHED.includes(stopReason));
  });
}

/** The text of a message in which the user says something; `''` for other messages, such as tool results. */
function askText(message: NeutralMessage): string {
  return isAsk(message) ? messageText(message) : '';
}

const unanswered = /* @__PURE__ */ new Unanswered(askText);

/** A guardrail that does not redact leaves in the messages what it has blocked. */
const BLOCKED: readonly unknown[] = ['guardrailIntervened', 'contentFiltered'];

/** Cancelled, or waiting for a human or the next process. Such a turn counts when it is completed. */
const UNFINISHED: readonly string[] = ['cancelled', 'interrupt', 'checkpoint'];
