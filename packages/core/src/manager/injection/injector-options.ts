import type { Message } from '../../model/message.ts';
import type { Logger } from '../options/logger.ts';

/** The context of an injection. */
export interface InjectionContext {
  /** The conversation for the model, without the injected text. */
  readonly messages: readonly Message[];
  /** Aborted at the deadline or by the caller. */
  readonly signal: AbortSignal;
}

/** When to inject: see `InjectionConfig`. */
export type InjectionTrigger = 'userTurn' | 'everyTurn' | ((context: InjectionContext) => boolean | Promise<boolean>);

/** Options of {@link ContextInjector}. */
export interface ContextInjectorOptions {
  /** Returns the text to inject. Injects nothing if it is blank or missing. */
  readonly render: (context: InjectionContext) => string | undefined | Promise<string | undefined>;
  /** @default 'userTurn', once per message of the user, unchanged until the next. */
  readonly trigger?: InjectionTrigger | undefined;
  /** The maximum delay of a model call, in milliseconds. @default 2000 */
  readonly deadlineMs?: number | undefined;
  /** Logs why nothing was injected. @default The console. */
  readonly logger?: Logger | undefined;
}
