import type { JsonObject } from '../../json/json.ts';
import type { Message } from '../../model/message.ts';
import type { MemoryModel } from '../../model/model.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';

/** When and how a manager turns conversations into memories: the `extraction` of a {@link MemoryStore}. */
export interface ExtractionConfig {
  /** When to extract. Several triggers fire independently. @default Every turn, or every 5 with an extractor. */
  readonly trigger?: ExtractionTrigger | readonly ExtractionTrigger[] | undefined;
  /**
   * How messages become memories. @default A `ModelExtractor` with the manager's model or else the conversation's, or
   * `addMessages` if the store has it.
   */
  readonly extractor?: Extractor | undefined;
  /**
   * Selects and edits messages; `undefined` drops a message. Can be called again with the same message in a retry. Or the
   * kinds of content blocks to remove, such as `{ exclude: ['reasoning'] }`. @default Everything except tool calls and
   * results and, if the store keeps messages word for word (it has `put`), greetings and acknowledgements, and of the user also bare
   * questions and messages that ask to forget something.
   */
  readonly filter?: ((message: Message) => Message | undefined) | { readonly exclude: readonly string[] } | undefined;
  /**
   * The deadline of a batch in milliseconds, for extractor and writes together. After it, the batch is retried later. A message
   * of more than 40,000 characters gets as much for every 20,000. @default 60000
   */
  readonly deadlineMs?: number | undefined;
  /**
   * The maximum number of changes from one answer of the extractor. The rest is left out and reported. @default 50, or twice
   * the number of messages if that is more.
   */
  readonly maxChangesPerBatch?: number | undefined;
}

/** Decides when to extract. */
export interface ExtractionTrigger {
  /** For logs and errors. */
  readonly name: string;
  /** Called once per conversation and store, and again if a conversation resumes after it was released. */
  attach(context: ExtractionTriggerContext): void;
}

export interface ExtractionTriggerContext {
  readonly conversation: {
    readonly id: string;
    /** Calls back when messages were observed. */
    onMessages(listener: (messages: readonly Message[]) => void): void;
    /** Calls back when a turn has ended without failure or cancellation. Turns count from 1. */
    onEndTurn(listener: (turn: number) => void): void;
  };
  /** Requests a save and returns at once. Never throws. Does nothing if there is nothing to save. */
  fire(): void;
}

/** Turns messages into changes to a store's memories. */
export interface Extractor {
  /** Whether it needs {@link ExtractionBatch.model}. @default false */
  readonly needsModel?: boolean;
  /**
   * Returns the changes to make: revisions are made first, in order, then additions. `undefined` stands for a change that a
   * model gave in an invalid form.
   *
   * @throws any failure, including invalid answers. Unless the error says that it may pass (see `MemoryError.retryable`),
   *   each message of the batch is tried alone.
   */
  extract(batch: ExtractionBatch): Promise<readonly (MemoryChange | undefined)[]>;
}

export interface ExtractionBatch {
  /** The filtered messages in order. Never empty. */
  readonly messages: readonly Message[];
  /** When the last of them was said: ISO 8601, UTC. Each message has its own time as `createdAt`. */
  readonly observedAt: string;
  /** The time zone of the user, such as `Europe/Lisbon`, for words such as "yesterday". @default UTC */
  readonly timeZone?: string;
  /** The manager's model, or else that of the conversation. */
  readonly model?: MemoryModel;
  /** The store's memories related to the messages, best first; empty if the store can't be searched now. */
  readonly known: readonly MemoryEntry[];
  /** Whether the store can update and delete. */
  readonly canRevise: boolean;
  readonly signal: AbortSignal;
}

/** Who said what a memory states. */
export type ChangeSpeaker = 'user' | 'assistant' | 'tool';

/**
 * A change of one memory. `id` must be that of a known entry: an update of another id is added, a deletion of another id is
 * ignored. `metadata` is stored with the memory, over what an updated one has. The manager's own fields (`sourceThread`,
 * `sourceRun`, `sourceFirst`, `sourceLast`, and `sourceKeys` in record stores) win. Without a `speaker`, it is the role of the
 * messages if all of them have the same. An invalid change is left out and reported; an answer without a valid one fails.
 */
export type MemoryChange =
  | {
      readonly kind: 'add';
      readonly content: string;
      readonly metadata?: JsonObject;
      readonly speaker?: ChangeSpeaker;
    }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly content: string;
      readonly metadata?: JsonObject;
      readonly speaker?: ChangeSpeaker;
    }
  | { readonly kind: 'delete'; readonly id: string };

const SPEAKERS: readonly unknown[] = ['user', 'assistant', 'tool'] satisfies ChangeSpeaker[];

export function isSpeaker(value: unknown): value is ChangeSpeaker {
  return SPEAKERS.includes(value);
}
