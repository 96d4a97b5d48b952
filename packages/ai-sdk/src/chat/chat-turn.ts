import { MemoryError } from '@keepsake/core';
import { uuidv7 } from '@keepsake/core/adapter';
import { type EndOfRun, type OpenConversationRun, storedError } from '@keepsake/internal';
import type { UIMessage, UIMessageStreamOptions } from 'ai';
import { getToolName } from 'ai';
import { pendingCalls } from './tool-parts.ts';

/** The options of `toUIMessageStream` that save the answer. */
export type ChatStreamOptions<M extends UIMessage> = Required<
  Pick<UIMessageStreamOptions<M>, 'originalMessages' | 'generateMessageId' | 'onStepEnd' | 'onEnd'>
>;

/** What is needed to answer a message of a chat. */
export interface ChatTurn<M extends UIMessage = UIMessage> {
  readonly runId: string;
  /** The history and the new message, for `convertToModelMessages`. */
  readonly messages: M[];
  /** The summary, the profile and the metadata, for the instructions. `''` if there is nothing. */
  readonly instructions: string;
  /** Aborted if another process takes over the answer. */
  readonly abortSignal: AbortSignal;
  /** Pass these options to `toUIMessageStream`. They save the answer under a stable id, after each step and at its end. */
  readonly streamOptions: ChatStreamOptions<M>;
}

/** A run that answers a message, and saves the answer. */
export class KeptTurn<M extends UIMessage> {
  /** Settles when the answer has been saved. */
  readonly ended: Promise<unknown>;
  readonly #open: OpenConversationRun<M>;
  readonly #items: readonly M[];
  readonly #onEnded: (saved: Promise<unknown>) => void;

  /** @param items - The messages of this run so far. The last one may be an answer that continues. */
  constructor(open: OpenConversationRun<M>, items: readonly M[]) {
    this.#open = open;
    this.#items = items;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.ended = promise;
    this.#onEnded = resolve;
  }

  streamOptions(messages: M[]): ChatStreamOptions<M> {
    return {
      originalMessages: messages,
      generateMessageId: () => `msg-${uuidv7()}`,
      onStepEnd: async ({ responseMessage }) => {
        await this.#open.save({ status: 'running', items: this.#with(responseMessage) });
      },
      onEnd: async ({ responseMessage, isAborted, isCancelled, outcome }) => {
        const items = this.#with(responseMessage);
        if (outcome.status === 'failed')
          return this.#end({ status: 'error', items, error: storedError(outcome.error) });
        if (isAborted || isCancelled) return this.#end({ status: 'cancelled', items });
        const waiting = pendingCalls(responseMessage).map(getToolName).join(', ');
        if (waiting === '') return this.#end({ status: 'completed', items });
        return this.#end({ status: 'paused', items, pauseReason: `Waits for ${waiting}.` });
      },
    };
  }

  /** Saves that there is no answer. */
  async fail(error: unknown): Promise<void> {
    await this.#end({ status: 'error', items: this.#items, error: storedError(error) });
  }

  async #end(run: EndOfRun<M>): Promise<void> {
    const saved = this.#open.save(run);
    this.#onEnded(saved.catch(() => {}));
    const { stored } = await saved;
    if (!stored) throw new MemoryError('INVALID_ARGUMENT', 'Chats need a memory with `fullSessionMemory: true`.');
  }

  /** As the client gets it: as JSON. Without an answer that has nothing in it. */
  #with(answer: M): M[] {
    const before = this.#items.filter(({ id }) => id !== answer.id);
    return answer.parts.length === 0 ? [...before] : [...before, JSON.parse(JSON.stringify(answer))];
  }
}
