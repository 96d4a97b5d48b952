import { isMemoryError, type MemoryRecord, type RecordInput, type RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { isObject, parseJson } from '@keepsake/internal';
import { beginsEntry, readEntries } from './entry-records.ts';
import type { FoldSessionSummary, SessionSummary, TranscriptEntry } from './session-types.ts';

/*
 * The summary is a record among the entries, written with them in one batch. A batch can't require a version, so the summary
 * says which version it follows from. Where its own version is not the next one, another process has appended at the same
 * moment, and the summary lacks what that process has appended. So does each that follows from it. The next reader makes it
 * again from all entries.
 */

const SUMMARY = 'summary';
/** Follows from a summary that was incomplete itself. */
const INCOMPLETE = -1;

interface StoredSummary {
  /** The version of the summary that this one follows from; 0 for none. No version follows from {@link INCOMPLETE}. */
  readonly follows: number;
  readonly mtime: number;
  readonly data: Record<string, unknown>;
}

/** The transcript of a session itself, with its summary. */
export class MainTranscript {
  readonly #store: RecordStore;
  readonly #key: { readonly projectKey: string; readonly sessionId: string };
  readonly #fold: FoldSessionSummary;

  constructor(store: RecordStore, key: { projectKey: string; sessionId: string }, fold: FoldSessionSummary) {
    this.#store = store;
    this.#key = key;
    this.#fold = fold;
  }

  /** Appends the records of entries. */
  async append(records: readonly RecordInput[], entries: TranscriptEntry[]): Promise<void> {
    const before = await this.#store.get(SUMMARY);
    const folded = this.#foldInto(before, entries);
    const follows = isComplete(before) ? (before?.version ?? 0) : INCOMPLETE;
    const written = await this.#store.putMany([...records, record(follows, folded)]);
    // An entry that was there already must not count as the latest.
    if (written.some((one) => beginsEntry(one) && putCount(one.version) > 1)) await this.#foldAll();
  }

  /** `undefined` if there are no entries. */
  async summary(): Promise<SessionSummary | undefined> {
    const found = await this.#store.get(SUMMARY);
    if (found === undefined) return undefined;
    const stored = read(found);
    if (stored === undefined || !isComplete(found)) return this.#foldAll();
    return { sessionId: this.#key.sessionId, mtime: stored.mtime, data: stored.data };
  }

  /** Makes the summary from all entries, and keeps it unless another process appends at the same moment. */
  async #foldAll(): Promise<SessionSummary | undefined> {
    const current = await this.#store.get(SUMMARY);
    // Deleted in the meantime.
    if (current === undefined) return undefined;
    const entries = await readEntries(this.#store);
    const folded = this.#foldInto(undefined, entries, read(current)?.mtime);
    try {
      await this.#store.put(record(current.version, folded), { ifVersion: current.version });
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT')) throw error;
    }
    return folded;
  }

  #foldInto(before: MemoryRecord | undefined, entries: TranscriptEntry[], at?: number): SessionSummary {
    const { sessionId } = this.#key;
    const previous = before && read(before);
    // Rises with each append, also within a millisecond.
    const mtime = at ?? Math.max(Date.now(), (previous?.mtime ?? 0) + 1);
    return this.#fold(previous && { sessionId, mtime: previous.mtime, data: previous.data }, this.#key, entries, {
      mtime,
    });
  }
}

/** Whether a summary is made from all entries that were there when it was written. */
function isComplete(summary: MemoryRecord | undefined): boolean {
  if (summary === undefined) return true;
  const { follows = INCOMPLETE } = read(summary) ?? {};
  return follows === 0 ? putCount(summary.version) === 1 : summary.version === follows + 1;
}

/** `undefined` for a damaged summary, which is made again from the entries. */
function read({ content }: MemoryRecord): StoredSummary | undefined {
  const stored = parseJson(content);
  const isSummary =
    isObject(stored) && [stored.follows, stored.mtime].every(Number.isSafeInteger) && isObject(stored.data);
  return isSummary ? (stored as unknown as StoredSummary) : undefined;
}

function record(follows: number, { mtime, data }: Pick<SessionSummary, 'mtime' | 'data'>) {
  return { id: SUMMARY, content: JSON.stringify({ follows, mtime, data } satisfies StoredSummary), index: false };
}
