import { untilAborted } from '@keepsake/internal';
import { withDeadline } from '../../common/deadline.ts';
import { type Message, messageText } from '../../model/message.ts';
import type { MemoryModel } from '../../model/model.ts';
import type { MemoryEntry, MemoryStore } from '../../store/memory-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { plainText } from '../injection/plain-text.ts';
import { acceptChanges } from './accept-changes.ts';
import { canRevise } from './apply-change.ts';
import type { Feeding } from './check-extraction.ts';
import { type ChangeSpeaker, type Extractor, isSpeaker } from './extraction-config.ts';
import type { ExtractionOptions } from './extraction-options.ts';
import { orMessageFailure } from './message-failure.ts';
import type { Item, PlannedChange } from './plan.ts';
import type { Run } from './run.ts';

/** The default maximum of changes: more than messages have facts, because a model that repeats itself returns thousands. */
const MIN_CHANGES = 50;
const CHANGES_PER_MESSAGE = 2;

/** The number of memories shown to an extractor: the most relevant and the most recent. */
const FITTING = 20;
const NEWEST = 10;
/** The number of entries to look for a content in, for stores without `get`. */
const CANDIDATES = 5;
const QUERY_CHARACTERS = 4_000;

/** Where the memories of an extraction are. */
interface Place extends Pick<ExtractionOptions, 'stores' | 'report' | 'deadlineMs' | 'timeZone'> {
  /** The store that learns. */
  readonly store: MemoryStore;
}

interface ExtractionRequest {
  readonly run: Run;
  /** Never empty. */
  readonly utterances: readonly Item[];
  readonly feeding: Feeding;
  readonly extractor: Extractor;
  readonly model: MemoryModel | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of changes that are left out, because they are invalid or too many. */
  readonly onLeftOut: (error: unknown, count: number) => void;
}

/** Asks an extractor what to change in a store. Leaves out what the store knows, and what was only recalled. */
export async function extractChanges(
  place: Place,
  { run, utterances, feeding, extractor, model, signal, onLeftOut }: ExtractionRequest,
): Promise<PlannedChange[]> {
  const { store } = place;
  const messages = utterances.map(({ message, at }) => ({ ...message, createdAt: at }));
  const known = await knownOrNone(place, messages, signal);
  const observedAt = (utterances.at(-1) as Item).at;
  const timeZone = place.timeZone();
  const batch = { messages, observedAt, timeZone, known, canRevise: canRevise(store), signal, ...(model && { model }) };
  const max = feeding.maxChangesPerBatch ?? Math.max(MIN_CHANGES, CHANGES_PER_MESSAGE * messages.length);
  const terms = { known, speaker: sharedSpeaker(messages), canRevise: batch.canRevise, max, onLeftOut };
  const answered = untilAborted(signal, () => extractor.extract(batch));
  const changes = await orMessageFailure(
    answered.then((answer) => acceptChanges(answer, terms)),
    signal,
  );
  const echoes = await Promise.all(changes.map((change) => isEcho(place, run, change, signal)));
  return changes.filter((_, index) => !echoes[index]);
}

/** The speaker of all messages; `undefined` if there are several. */
function sharedSpeaker(messages: readonly Message[]): ChangeSpeaker | undefined {
  const [role, ...others] = new Set(messages.map((message) => message.role));
  return others.length === 0 && isSpeaker(role) ? role : undefined;
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

/** The memories of a store related to messages, best first. Leaves out utterances, which must not be revised. */
async function knownMemories(
  store: MemoryStore,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<MemoryEntry[]> {
  const query = messages.map(messageText).join('\n').slice(-QUERY_CHARACTERS).toWellFormed();
  const fitting = await store.search(query, { maxSearchResults: FITTING, signal });
  const newest = await lastLearnt(store, signal);
  const entries = new Map<string, MemoryEntry>();
  for (const entry of [...fitting, ...newest]) {
    const key = entry.id ?? entry.content;
    if (typeof entry.content === 'string' && entry.turn === undefined && !entries.has(key)) entries.set(key, entry);
  }
  return [...entries.values()];
}

/** The most recent memories: a correction may share no word with what it corrects ("I moved to Lisbon"). */
async function lastLearnt(store: MemoryStore, signal: AbortSignal): Promise<readonly MemoryEntry[]> {
  const { list, capabilities } = store as Partial<RecordStore>;
  if (!canRevise(store) || typeof list !== 'function' || !capabilities?.enumerate || !capabilities.filter) return [];
  const page = await list.call(store, { limit: NEWEST, filter: { sourceRun: { exists: true } }, signal });
  return page.items;
}

/** Whether a fact of an entry that a store once returned still holds: the entry may have been deleted, changed or closed. */
async function isStillStored(
  store: MemoryStore,
  { id, content }: MemoryEntry,
  plain: string,
  signal: AbortSignal,
): Promise<boolean> {
  const states = (text: string) => ` ${plainText(text)} `.includes(` ${plain} `);
  const { get } = store as Partial<RecordStore>;
  if (id !== undefined && typeof get === 'function') {
    const record = await get.call(store, id);
    return record !== undefined && record.validUntil === undefined && states(record.content);
  }
  const query = content.slice(0, QUERY_CHARACTERS).toWellFormed();
  const entries = await store.search(query, { maxSearchResults: CANDIDATES, signal });
  return entries.some((entry) => states(entry.content));
}
