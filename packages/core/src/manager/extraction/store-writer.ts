import { untilAborted } from '@keepsake/internal';
import { messageText } from '../../model/message.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { applyChange, type Provenance } from './apply-change.ts';
import type { Feeding } from './check-extraction.ts';
import { isEmptied } from './extraction-filter.ts';
import type { ExtractionOptions } from './extraction-options.ts';
import { isPermanent, MessageFailure } from './message-failure.ts';
import type { Item, PlannedChange } from './plan.ts';
import type { Run } from './run.ts';

const OPERATIONS = { add: 'create_memory', update: 'update_memory', delete: 'delete_memory' } as const;

interface WriterOptions extends Pick<ExtractionOptions, 'span' | 'report'> {
  readonly store: MemoryStore;
  readonly feeding: Feeding;
}

/** Writes messages and changes to one store. */
export class StoreWriter {
  readonly #options: WriterOptions;
  readonly #name: string;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#name = options.store.name;
  }

  /** What the store learns from. A message for which the filter fails is left out and reported. */
  filter(batch: readonly Item[]): Item[] {
    const { filter } = this.#options.feeding;
    return batch.flatMap(({ number, message, at }) => {
      try {
        // A copy, because no filter or store may change what another store gets.
        const left = filter(structuredClone(message));
        return left === undefined || isEmptied(left) ? [] : [{ number, message: left, at }];
      } catch (error) {
        this.#reportDropped(error);
        return [];
      }
    });
  }

  async addMessages(run: Run, utterances: readonly Item[], signal: AbortSignal): Promise<void> {
    const { store, span } = this.#options;
    const messages = utterances.map(({ message }) => message);
    const sequenceNumbers = utterances.map(({ number }) => number);
    const added = span('create_memory', this.#name, (tell) => {
      tell({ count: messages.length, records: messages.map((message) => ({ content: messageText(message) })) });
      return untilAborted(signal, () =>
        store.addMessages?.(messages, { sequenceNumbers, runId: run.id, thread: run.thread }),
      );
    });
    try {
      await added;
    } catch (error) {
      throw isPermanent(error) ? new MessageFailure(error) : error;
    }
  }

  /** Applies a change. Returns the error if the store refuses it for good. */
  async apply(change: PlannedChange, from: Provenance, index: number, signal: AbortSignal): Promise<unknown> {
    const { store, span } = this.#options;
    const applied = span(OPERATIONS[change.kind], this.#name, (tell) => {
      if (change.kind !== 'add') tell({ recordId: change.id });
      if (change.kind !== 'delete') tell({ records: [{ content: change.content }] });
      tell({ count: 1 });
      return applyChange(store, change, from, index, signal);
    });
    try {
      await applied;
      return undefined;
    } catch (error) {
      if (!isPermanent(error)) throw error;
      return error;
    }
  }

  #reportDropped(error: unknown): void {
    this.#options.report({ storeName: this.#name, operation: 'extract', error, count: 1 });
  }
}
