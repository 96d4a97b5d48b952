import type { MemoryEntry } from '../memory-store.ts';
import type { Message } from '../message.ts';
import type { MemoryModel } from '../model.ts';

/** When and how a manager turns conversations into memories of a store: `extraction` of a {@link MemoryStore}. */
export interface ExtractionConfig {
  /** When to extract; several fire each for itself. By default every 5 turns. */
  readonly trigger?: ExtractionTrigger | readonly ExtractionTrigger[];
  /**
   * How messages become memories. By default a `ModelExtractor` with the manager's model; a store with `addMessages` is
   * handed the messages themselves.
   */
  readonly extractor?: Extractor;
  /**
   * Which messages are looked at, and what of them; `undefined` drops a message. By default all but tool calls and
   * results. It may see a message again, in a retry.
   */
  readonly filter?: (message: Message) => Message | undefined;
  /**
   * How long a batch may take, extractor and writes together, before it is given up and tried again later: milliseconds,
   * by default 60,000.
   */
  readonly deadlineMs?: number;
}

/** Decides when to extract. */
export interface ExtractionTrigger {
  /** For logs and errors. */
  readonly name: string;
  /**
   * Called once for each conversation and store; again where a conversation comes back after it was long quiet, with
   * nothing left to save.
   */
  attach(context: ExtractionTriggerContext): void;
}

export interface ExtractionTriggerContext {
  readonly conversation: {
    readonly id: string;
    /** Calls back whenever messages were observed. */
    onMessages(listener: (messages: readonly Message[]) => void): void;
    /** Calls back whenever a turn has ended that neither failed nor was cancelled. Turns count from 1. */
    onEndTurn(listener: (turn: number) => void): void;
  };
  /** Asks for a save, and returns at once. Never throws. Without anything to save it does nothing. */
  fire(): void;
}

/** Turns messages into changes of a store's memories. */
export interface Extractor {
  /** Whether it can't do without {@link ExtractionBatch.model}. Default false. */
  readonly needsModel?: boolean;
  /**
   * @throws whatever fails, answers that can't be understood included: the batch is then tried again later.
   */
  extract(batch: ExtractionBatch): Promise<readonly MemoryChange[]>;
}

export interface ExtractionBatch {
  /** In their order, filtered. Never empty. */
  readonly messages: readonly Message[];
  /** When the last of them was observed: ISO 8601, UTC. What "yesterday" is counted from. */
  readonly observedAt: string;
  /** The manager's model, where it has one. */
  readonly model?: MemoryModel;
  /** What the store knows that may bear on the messages, best first; none where it can't be searched now. */
  readonly known: readonly MemoryEntry[];
  /** Whether the store can update and delete. */
  readonly canRevise: boolean;
  readonly signal: AbortSignal;
}

/**
 * A change of one memory. `id` is that of an entry that is known: an update of any other is added, a deletion of any other
 * is ignored.
 */
export type MemoryChange =
  | { readonly kind: 'add'; readonly content: string }
  | { readonly kind: 'update'; readonly id: string; readonly content: string }
  | { readonly kind: 'delete'; readonly id: string };
