import type { Conversation, InjectedBlock, Message } from '@keepsake/core';
import type { AgentInputItem, CallModelInputFilter, RunState, Session } from '@openai/agents';
import type { AnyAgent } from './any-agent.ts';
import type { RunInjections } from './context-injection.ts';
import { toMessage, userMessage } from './messages.ts';

/** What is added to the input of the models of a run. */
export interface Sources {
  readonly chat: Conversation;
  readonly injections: RunInjections;
  readonly signal: AbortSignal | undefined;
  /** The filter of the caller, which comes first. */
  readonly before: CallModelInputFilter | undefined;
}

/**
 * Adds texts to the input of a model, as separate items after the messages that they belong to. The messages themselves stay
 * unchanged, because the SDK must recognize them as items of the session.
 *
 * @param injected - Collects the added texts, for {@link withoutInjected}.
 */
export function injectingFilter(sources: Sources, injected: Set<string>): CallModelInputFilter {
  return async (args) => {
    const modelData = sources.before === undefined ? args.modelData : await sources.before(args);
    const blocks = await blocksFor(sources, modelData.input.map(toMessage), args);
    // A text that the user says must not be taken for an injected one.
    const fresh = blocks.filter(({ text }) => !modelData.input.some((item) => textOfUser(item) === text));
    const byIndex = Map.groupBy(fresh, ({ index }) => index);
    const input = modelData.input.flatMap((item, index) => {
      const texts = (byIndex.get(index) ?? []).map(({ text }) => text);
      for (const text of texts) injected.add(text);
      return [item, ...texts.map(userMessage)];
    });
    return { ...modelData, input };
  };
}

/**
 * Adds texts to the instructions, for conversations on a server: the server stores every item of the input, but not the
 * instructions.
 *
 * @param asked - The user's input of this run, because later calls contain only new items.
 */
export function instructingFilter(sources: Sources, asked: readonly AgentInputItem[]): CallModelInputFilter {
  return async (args) => {
    const modelData = sources.before === undefined ? args.modelData : await sources.before(args);
    const blocks = await blocksFor(sources, asked.map(toMessage), args);
    if (blocks.length === 0) return modelData;
    const instructions = [modelData.instructions, ...blocks.map(({ text }) => text)];
    return { ...modelData, instructions: instructions.filter((text) => text !== undefined).join('\n\n') };
  };
}

async function blocksFor(
  { chat, injections, signal }: Sources,
  messages: readonly Message[],
  args: Parameters<CallModelInputFilter>[0],
): Promise<readonly InjectedBlock[]> {
  const blocks = await Promise.all([chat.blocks(messages, { signal }), injections.blocks(messages, args, signal)]);
  return blocks.flat();
}

/** A session that keeps injected items out, and the texts that were added by each run that uses it now. */
interface SessionView {
  readonly session: Session;
  readonly runs: Set<ReadonlySet<string>>;
}

/** One view per session, because the SDK recognizes the session of a run that it resumes. */
const views = new WeakMap<Session, SessionView>();

/**
 * The view of a session that keeps injected items out, because the SDK persists the input after the filter. Everything else
 * is passed on unchanged.
 */
export function withoutInjected(session: Session): SessionView {
  const knownView = views.get(session);
  if (knownView !== undefined) return knownView;
  const runs: SessionView['runs'] = new Set();
  const view = { session: viewOf(session, runs), runs };
  views.set(session, view);
  return view;
}

function viewOf(session: Session, runs: SessionView['runs']): Session {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => ![...runs].some((injected) => isInjected(item, injected)));
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
  const text = textOfUser(item);
  return text !== undefined && injected.has(text);
}

function textOfUser(item: AgentInputItem): string | undefined {
  return 'role' in item && item.role === 'user' && typeof item.content === 'string' ? item.content : undefined;
}
