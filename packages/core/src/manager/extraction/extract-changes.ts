import { untilAborted } from '@keepsake/internal';
import { withDeadline } from '../../common/deadline.ts';
import type { Message } from '../../model/message.ts';
import type { MemoryEntry, MemoryStore } from '../../store/memory-store.ts';
import { plainText } from '../injection/plain-text.ts';
import { orRefusal } from '../search/refusal.ts';
import { acceptChanges } from './accept-changes.ts';
import { canRevise } from './apply-change.ts';
import type { Feeding } from './check-extraction.ts';
import type { Extractor } from './extraction-config.ts';
import type { ExtractionOptions } from './extraction-options.ts';
import { isStillStored } from './is-still-stored.ts';
import { knownMemories } from './known-memories.ts';
import type { Item, PlannedChange, Run } from './run.ts';

/** The default maximum of changes: more than messages have facts, because a model that repeats itself returns thousands. */
const MIN_CHANGES = 50;
const CHANGES_PER_MESSAGE = 2;

/** Where the memories of an extraction are. */
interface Place extends Pick<ExtractionOptions, 'stores' | 'model' | 'report' | 'deadlineMs'> {
  /** The store that learns. */
  readonly store: MemoryStore;
}

interface ExtractionRequest {
  readonly run: Run;
  /** Never empty. */
  readonly utterances: readonly Item[];
  readonly feeding: Feeding;
  readonly extractor: Extractor;
  readonly signal: AbortSignal;
  /** Called with the number of changes that are left out, because they are invalid or too many. */
  readonly onLeftOut: (error: unknown, count: number) => void;
}

/** Asks an extractor what to change in a store. Leaves out what the store knows, and what was only recalled. */
export async function extractChanges(
  place: Place,
  { run, utterances, feeding, extractor, signal, onLeftOut }: ExtractionRequest,
): Promise<PlannedChange[]> {
  const { store, model } = place;
  const messages = utterances.map(({ message }) => message);
  const known = await knownOrNone(place, messages, signal);
  const observedAt = (utterances.at(-1) as Item).at;
  const batch = { messages, observedAt, known, canRevise: canRevise(store), signal, ...(model && { model }) };
  const answer = await orRefusal(untilAborted(signal, () => extractor.extract(batch)));
  const max = feeding.maxChangesPerBatch ?? Math.max(MIN_CHANGES, CHANGES_PER_MESSAGE * messages.length);
  const changes = acceptChanges(answer, { known, canRevise: batch.canRevise, max, onLeftOut });
  const echoes = await Promise.all(changes.map((change) => isEcho(place, run, change, signal)));
  return changes.filter((_, index) => !echoes[index]);
}

async function knownOrNone(
  { store, deadlineMs, report }: Place,
  messages: readonly Message[],
  parent: AbortSignal,
): Promise<MemoryEntry[]> {
  try {
    return await withDeadline(deadlineMs, parent, (signal) => knownMemories(store, messages, signal));
  } catch (error) {
    parent.throwIfAborted();
    report({ storeName: store.name, operation: 'search', error });
    return [];
  }
}

/** Whether a change adds what was recalled, and what the store that it came from still has. */
async function isEcho(
  { store, stores, deadlineMs }: Place,
  run: Run,
  change: PlannedChange,
  parent: AbortSignal,
): Promise<boolean> {
  if (change.kind !== 'add') return false;
  const plain = plainText(change.content);
  const entry = run.recalled.entryWith(plain);
  if (entry === undefined) return false;
  const origin = stores.find(({ name }) => name === entry.storeName) ?? store;
  try {
    return await withDeadline(deadlineMs, parent, (signal) => isStillStored(origin, entry, plain, signal));
  } catch {
    parent.throwIfAborted();
    // To learn an echo costs little, to miss a fact much.
    return false;
  }
}
