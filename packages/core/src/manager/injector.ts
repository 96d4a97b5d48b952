import type { Message } from '../message.ts';

/** What is known when something may be injected. */
export interface InjectionContext {
  /** The conversation as the model is to read it, without what is injected. */
  readonly messages: readonly Message[];
  /** Aborted when the time is over, or the caller aborts. */
  readonly signal: AbortSignal;
}

/** When to inject. */
export type InjectionTrigger = 'userTurn' | 'everyTurn' | ((context: InjectionContext) => boolean | Promise<boolean>);

/** Folds a text into what a model reads. */
export interface ContextInjector {
  /** The text alone, for messages of another form; none where nothing is to be injected. Never throws. */
  block(messages: readonly Message[], options?: { readonly signal?: AbortSignal }): Promise<string | undefined>;
  /** A copy with the text at the end of a message of the user. Never throws, and never changes what it is given. */
  inject(messages: readonly Message[], options?: { readonly signal?: AbortSignal }): Promise<Message[]>;
}
