import type { Conversation, Message } from '@keepsake/core';
import type { Agent, AgentInputItem, AgentOutputType, CallModelInputFilter, RunState, Session } from '@openai/agents';
import { toMessage, userMessage } from './messages.ts';

export type AnyAgent = Agent<unknown, AgentOutputType>;

/**
 * Adds memory to the input of a model, as a separate item after the message that it belongs to. The message itself stays
 * unchanged, because the SDK must recognize it as an item of the session.
 *
 * @param injected - Collects the added texts, for {@link withoutInjected}.
 */
export function injectingFilter(
  chat: Conversation,
  injected: Set<string>,
  signal: AbortSignal | undefined,
  before: CallModelInputFilter | undefined,
): CallModelInputFilter {
  return async (args) => {
    const modelData = before === undefined ? args.modelData : await before(args);
    const messages = modelData.input.map(toMessage);
    const copy = await chat.inject(messages, { signal });
    const index = copy.findIndex((message, place) => message !== messages[place]);
    if (index === -1) return modelData;
    const text = addedText(copy[index] as Message);
    injected.add(text);
    return { ...modelData, input: modelData.input.toSpliced(index + 1, 0, userMessage(text)) };
  };
}

/**
 * Adds memory to the instructions, for conversations on a server: the server stores every item of the input, but not the
 * instructions.
 *
 * @param asked - The user's input of this run, because later calls contain only new items.
 */
export function instructingFilter(
  chat: Conversation,
  asked: readonly AgentInputItem[],
  signal: AbortSignal | undefined,
  before: CallModelInputFilter | undefined,
): CallModelInputFilter {
  return async (args) => {
    const modelData = before === undefined ? args.modelData : await before(args);
    const text = await chat.block(asked.map(toMessage), { signal });
    if (text === undefined) return modelData;
    const instructions = modelData.instructions === undefined ? text : `${modelData.instructions}\n\n${text}`;
    return { ...modelData, instructions };
  };
}

/**
 * Wraps a session to keep injected items out, because the SDK persists the input after the filter. Everything else is passed
 * on unchanged.
 */
export function withoutInjected(session: Session, injected: ReadonlySet<string>): Session {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => !isInjected(item, injected));
    if (typeof value !== 'object' || value === null || !('transaction' in value)) return value;
    const transaction = Object.entries(value.transaction as object).map(([key, part]) => [key, strip(part)]);
    return { ...value, transaction: Object.fromEntries(transaction) };
  };
  return new Proxy(session, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return WRITES.has(property)
        ? (items: unknown, ...rest: unknown[]) => value.call(target, strip(items), ...rest)
        : value.bind(target);
    },
  });
}

/** Removes injected items from a run state, whose input may be persisted to a session when the run is resumed. */
export function dropInjected(state: RunState<unknown, AnyAgent>, injected: ReadonlySet<string>): void {
  state._currentTurnSessionHistoryTransactionInputItems = state._currentTurnSessionHistoryTransactionInputItems?.filter(
    (item) => !isInjected(item, injected),
  );
}

const WRITES: ReadonlySet<string | symbol> = new Set<
  keyof Session | 'applyHistoryTransaction' | 'addItemsWithCompactionOwnership'
>(['addItems', 'addItemsWithCompactionOwnership', 'applyHistoryTransaction', 'replaceHistoryWithCompaction']);

function isInjected(item: AgentInputItem, injected: ReadonlySet<string>): boolean {
  return 'role' in item && item.role === 'user' && typeof item.content === 'string' && injected.has(item.content);
}

/** The text block that the manager has added to a message. */
function addedText({ content }: Message): string {
  const last = content.at(-1);
  return typeof last === 'object' && 'text' in last ? String(last.text) : '';
}
