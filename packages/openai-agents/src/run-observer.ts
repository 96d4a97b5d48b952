import { type Conversation, type Message, messageText } from '@keepsake/core';
import { Unanswered } from '@keepsake/internal';
import { type AgentInputItem, InputGuardrailTripwireTriggered, type RunItem, RunState } from '@openai/agents';
import type { AnyAgent } from './any-agent.ts';
import { copyInput, toMessage, userMessage } from './messages.ts';
import { newOf } from './run-segment.ts';

type Input = string | AgentInputItem[] | RunState<unknown, AnyAgent>;

/**
 * Observes the messages of a run as they come, each once. The rounds of tool calls before a model call are known from its
 * input, the rest from the result.
 */
export class RunObserver {
  /** The new input of the user. */
  readonly asked: readonly AgentInputItem[];
  readonly #chat: Conversation;
  /** The items that a resumed run generated before. They were observed when it was interrupted. */
  readonly #before: readonly RunItem[];
  /** The number of input items that are not new, and the last of them. Missing before the first model call. */
  #lastInput: { readonly count: number; readonly last: string | undefined } | undefined;
  /** How often each generated message was observed before the end. */
  readonly #observed = new Map<string, number>();
  #hasObservedAsked = false;

  constructor(chat: Conversation, input: Input) {
    this.#chat = chat;
    this.asked = input instanceof RunState ? [] : copyInput(input);
    this.#before = input instanceof RunState ? [...input._generatedItems] : [];
    if (!(input instanceof RunState)) return;
    const { _originalInput: original } = input;
    const generated = this.#before.filter(isSent).map(({ rawItem }) => rawItem as AgentInputItem);
    this.#setLastInput([...(typeof original === 'string' ? [userMessage(original)] : original), ...generated]);
  }

  /** Observes the user's words, because the model has answered them, so no input guardrail has refused them. */
  modelAnswered(): void {
    if (this.#hasObservedAsked) return;
    this.#hasObservedAsked = true;
    this.#observe(unanswered.fresh(this.#chat, this.asked.map(toMessage)));
  }

  /**
   * Observes the messages before a model call.
   *
   * @param input - The input of the model before filters.
   */
  beforeModelCall(input: readonly AgentInputItem[]): void {
    const lastInput = this.#lastInput;
    // Otherwise a handoff has rewritten the history, or a server has the rest of it. Then the result has the messages.
    const isContinued = lastInput !== undefined && keyOf(input[lastInput.count - 1]) === lastInput.last;
    if (lastInput !== undefined) this.modelAnswered();
    if (isContinued) {
      const messages = input.slice(lastInput.count).map(toMessage);
      for (const key of messages.map(keyOfMessage)) this.#observed.set(key, (this.#observed.get(key) ?? 0) + 1);
      this.#observe(messages);
    }
    if (isContinued || lastInput === undefined) this.#setLastInput(input);
  }

  /**
   * Ends the turn with all items of the run.
   *
   * @param waits - Whether it waits for an approval. The turn counts when it is completed.
   */
  async end(items: readonly RunItem[], waits: boolean): Promise<void> {
    this.modelAnswered();
    const messages = newOf(items, this.#before).map(({ rawItem }) => toMessage(rawItem as AgentInputItem));
    this.#observe(messages.filter((message) => !this.#wasObserved(message)));
    await this.#endTurn(waits);
  }

  /** Ends a turn that failed or was cancelled. Keeps the user's words, unless a guardrail refused them. */
  async fail(error?: unknown): Promise<void> {
    if (!(error instanceof InputGuardrailTripwireTriggered)) this.modelAnswered();
    await this.#endTurn(true);
  }

  /** Whether a message was observed before the end. Counts each time. */
  #wasObserved(message: Message): boolean {
    const key = keyOfMessage(message);
    const count = this.#observed.get(key) ?? 0;
    this.#observed.set(key, count - 1);
    return count > 0;
  }

  #setLastInput(items: readonly AgentInputItem[]): void {
    this.#lastInput = { count: items.length, last: keyOf(items.at(-1)) };
  }

  #observe(messages: readonly Message[]): void {
    this.#chat.observe(...messages.filter(({ content }) => content.length > 0));
  }

  async #endTurn(failed: boolean): Promise<void> {
    if (!failed) unanswered.answered(this.#chat);
    else if (this.#hasObservedAsked) unanswered.failed(this.#chat, this.asked.map(toMessage));
    // The manager has reported the failure. The answer must not be lost because of it.
    await this.#chat.endTurn({ failed }).catch(() => {});
  }
}

const unanswered = /* @__PURE__ */ new Unanswered<Message>((message) =>
  message.role === 'user' ? messageText(message) : '',
);

/** Whether an item is sent to models. A pending approval repeats the call that it is for. */
function isSent({ type }: RunItem): boolean {
  return type !== 'tool_approval_item';
}

function keyOf(item: AgentInputItem | undefined): string | undefined {
  return item && keyOfMessage(toMessage(item));
}

function keyOfMessage(message: Message): string {
  return JSON.stringify(message);
}
