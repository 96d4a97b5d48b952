import { isMemoryError, MemoryError } from '@keepsake/core';
import { expectFields, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import {
  type ConversationKind,
  type ConversationNames,
  type ConversationOf,
  type Conversations,
  instructionsOf,
  pause,
  type StoredRun,
} from '@keepsake/internal';
import type { UIMessage } from 'ai';
import { type CheckedRequest, checkRequest, invalid } from './chat-request.ts';
import { type ChatTurn, KeptTurn } from './chat-turn.ts';
import { withAnswers, withoutOpenCalls, withStoppedCalls } from './tool-parts.ts';

export type { Conversations } from '@keepsake/internal';

export interface ConversationChatOptions {
  /** @default 'agent' */
  readonly kind?: ConversationKind | undefined;
}

const OPTIONS: FieldNames<ConversationChatOptions> = { kind: true };

/** Who chats: the user whose session it is, and the agent that answers. */
export type ChatNames = Pick<ConversationNames, 'userId' | 'agentId'>;

const NAMES: FieldNames<ChatNames> = { userId: true, agentId: true };

/** A run that answers a message. */
interface Plan<M extends UIMessage> {
  /** Its messages, without the answer. */
  readonly items: readonly M[];
  /** The unfinished run that goes on. */
  readonly run?: StoredRun<M>;
  /** The `seq` of the run that it replaces. */
  readonly replaces?: number;
}

/** How long a request waits for an answer of this process that has failed, but is not saved. */
const ENDING_MS = 2_000;

/** How many of the newest runs are searched for unfinished ones. */
const NEWEST = 10;

/**
 * Keeps the chats of `useChat` in conversations: one session per chat, and one run per message of the user. Messages are
 * stored as they are, with all parts, metadata and ids.
 *
 * @param memory - A `ConversationMemory` of `@keepsake/conversations`, with `fullSessionMemory`.
 */
export function conversationChat(memory: Conversations, options: ConversationChatOptions = {}): ConversationChat {
  return new ConversationChat(memory, options);
}

/** See {@link conversationChat}. */
export class ConversationChat {
  readonly #memory: Conversations;
  readonly #kind: ConversationKind;
  /** The ends of the answers of this process, by run id. */
  readonly #ending = new Map<string, Promise<unknown>>();

  constructor(memory: Conversations, options: ConversationChatOptions = {}) {
    expectKnownFields(options, OPTIONS);
    expectFields({ memory }, '', {
      memory: [(value) => typeof (value as Conversations | undefined)?.for === 'function', 'a ConversationMemory'],
    });
    this.#memory = memory;
    this.#kind = options.kind ?? 'agent';
  }

  /**
   * The messages of a chat, for the `messages` of `useChat`: with an answer that waits for approval, failed or was stopped,
   * and of one that is being streamed, the complete steps.
   */
  async messages<M extends UIMessage = UIMessage>(id: string, names: ChatNames = {}): Promise<M[]> {
    const handle = this.#open<M>(id, names);
    const [newest] = (await handle.listRuns({ limit: 1 })).items;
    const unfinished = await unfinishedRuns(handle);
    let messages = await handle.getMessages();
    for (const { items } of unfinished.filter((run) => run.runId === newest?.runId || !isFailedReplacement(run))) {
      const replaced = messages.findIndex((message) => message.id === items[0]?.id);
      messages = [...(replaced === -1 ? messages : messages.slice(0, replaced)), ...items];
    }
    return messages;
  }

  /**
   * Answers a request of `useChat`: a new message, an edited one, a request for another answer, or the approvals and tool
   * outputs that an answer waits for. The message is stored before `answer` is called, and the answer when its stream ends.
   *
   * An edited message, or another answer, replaces the old ones and all that followed when the new answer is complete.
   *
   * @param request - The body of the request: a `ChatRequest`, which is checked.
   * @param answer - Calls a model and returns `toUIMessageStream({ stream, ...turn.streamOptions })`. If it throws, the run is
   *   saved as failed.
   * @throws MemoryError `INVALID_ARGUMENT` for another body, or the chat of another user; `CONFLICT` if the message is being
   *   answered already.
   */
  async answer<M extends UIMessage, Stream>(
    request: unknown,
    names: ChatNames,
    answer: (turn: ChatTurn<M>) => Stream | Promise<Stream>,
  ): Promise<Stream> {
    const checked = await checkRequest(request);
    const handle = this.#open<M>(checked.id, names);
    const { run, items, replaces } = await this.#plan(handle, checked);
    const { messageHistory, ...injections } = await handle.prepare({ before: run?.replaces ?? replaces });
    let kept: KeptTurn<M> | undefined;
    const started = run === undefined ? { items, replaces } : { ...run, items };
    const open = await handle.begin(started, { onClose: async () => kept?.ended });
    kept = new KeptTurn(open, items);
    this.#ending.set(open.runId, kept.ended);
    kept.ended.then(() => this.#ending.delete(open.runId));
    const messages = [...messageHistory.flatMap(withoutOpenCalls), ...items];
    try {
      return await answer({
        runId: open.runId,
        messages,
        instructions: instructionsOf(injections),
        abortSignal: open.taken,
        streamOptions: kept.streamOptions(messages),
      });
    } catch (error) {
      // The failure of the answer matters more than that it could not be saved: then the run counts as crashed.
      await kept.fail(error).catch(() => {});
      throw error;
    }
  }

  /** A client that gets an error can ask again before the failed answer has been saved: waits for that. */
  async #plan<M extends UIMessage>(handle: ConversationOf<M>, request: CheckedRequest): Promise<Plan<M>> {
    // One that ends meanwhile is gone from those of this process, and may have been read before it was saved.
    const before = new Map(this.#ending);
    try {
      return await plan(handle, request);
    } catch (error) {
      const ending =
        error instanceof BeingAnswered ? (before.get(error.runId) ?? this.#ending.get(error.runId)) : undefined;
      if (ending === undefined) throw error;
      const patience = new AbortController();
      await Promise.race([ending, pause(ENDING_MS, patience.signal)]).finally(() => patience.abort());
      return plan(handle, request);
    }
  }

  #open<M extends UIMessage>(id: string, names: ChatNames): ConversationOf<M> {
    return this.#memory.for<M>(this.#kind, { sessionId: id, ...expectKnownFields(names, NAMES) });
  }
}

class BeingAnswered extends MemoryError {
  readonly runId: string;

  constructor(runId: string) {
    super('CONFLICT', 'This message is being answered already.');
    this.runId = runId;
  }
}

/** What a request asks for. */
async function plan<M extends UIMessage>(handle: ConversationOf<M>, request: CheckedRequest): Promise<Plan<M>> {
  const message = request.message as M;
  if (message.role === 'assistant' && !request.isRegeneration) return continuation(handle, message);
  const answered = request.regenerates === undefined ? undefined : await locate(handle, request.regenerates);
  const place = answered ?? (await locate(handle, message.id));
  if (place === undefined && message.role !== 'user') throw invalid('A chat goes on with a message of the user.');
  if (place === undefined) {
    await settle(handle);
    return { items: [message] };
  }
  const { run, index } = place;
  const before = run.items.slice(0, index);
  const items = answered === undefined ? [...before, message] : before;
  if (items.at(-1)?.role !== 'user') throw invalid('There is no message of the user to answer again.');
  return run.status === 'completed' ? { items, replaces: run.seq } : { items, run: await resumable(handle, run) };
}

/** The answer goes on with what it waited for. */
async function continuation<M extends UIMessage>(handle: ConversationOf<M>, message: M): Promise<Plan<M>> {
  const waiting = (await unfinishedRuns(handle)).findLast(({ items }) => items.at(-1)?.id === message.id);
  if (waiting === undefined) throw invalid('This answer waits for nothing. Send a message of the user.');
  const run = await resumable(handle, waiting);
  const stored = run.items.at(-1) as M;
  // Approvals are stored before the calls run, so calls that were approved then may have run.
  const settledMessage = run.status === 'paused' ? stored : withStoppedCalls(stored, false);
  return { run, items: [...run.items.slice(0, -1), withAnswers(settledMessage, message)] };
}

async function resumable<M extends UIMessage>(
  handle: ConversationOf<M>,
  { runId }: StoredRun<M>,
): Promise<StoredRun<M>> {
  const run = await handle.loadResumableRun(runId);
  if (run === undefined) throw new BeingAnswered(runId);
  return run;
}

/** The run of a message, and its place in it. */
async function locate<M extends UIMessage>(handle: ConversationOf<M>, id: string) {
  const isIt = (message: M) => message.id === id;
  const unfinished = (await unfinishedRuns(handle)).findLast(({ items }) => items.some(isIt));
  const run = unfinished ?? (await handle.findRun(isIt));
  return run && { run, index: run.items.findIndex(isIt) };
}

/**
 * With a new message, the user moves on: what was stopped, failed or waits becomes part of the history, as it is on the
 * screen, with a note on calls that may have run.
 */
async function settle<M extends UIMessage>(handle: ConversationOf<M>): Promise<void> {
  for (const { runId } of (await unfinishedRuns(handle)).filter((one) => !isFailedReplacement(one))) {
    const run = await handle.loadResumableRun(runId);
    if (run === undefined) continue;
    try {
      const open = await handle.begin(run, { onClose: async () => {} });
      const isCutOff = run.status !== 'paused';
      const items = isCutOff ? run.items.map((message) => withStoppedCalls(message, true)) : run.items;
      await open.save({ status: 'completed', items });
    } catch (error) {
      // Another request was faster.
      if (!isMemoryError(error, 'CONFLICT')) throw error;
    }
  }
}

/** An attempt at another answer without an answer. As part of the history, it would remove the answer that there is. */
function isFailedReplacement({ replaces, items }: StoredRun<UIMessage>): boolean {
  return replaces !== undefined && items.at(-1)?.role === 'user';
}

/** The unfinished runs among the newest, oldest first. */
async function unfinishedRuns<M extends UIMessage>(handle: ConversationOf<M>): Promise<StoredRun<M>[]> {
  const { items } = await handle.listRuns({ limit: NEWEST });
  const unfinished = items.filter(({ status }) => status !== 'completed').toReversed();
  const runs = await Promise.all(unfinished.map(({ runId }) => handle.loadRun(runId)));
  return runs.filter((run) => run !== undefined);
}
