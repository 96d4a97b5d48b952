import type { MemoryRecord, RecordInput, RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { isObject, parseJson } from '@keepsake/internal';
import { unlessChanged } from '../unless-changed.ts';
import { beginsEntry, readEntries } from './entry-records.ts';
import type { FoldSessionSummary, SessionSummary, TranscriptEntry } from './session-types.ts';

const SUMMARY = 'summary';

type StoredSummary = Pick<SessionSummary, 'mtime' | 'data'>;

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

  /** Appends the records of entries and the summary with them, in one batch: the summary is always that of all entries. */
  async append(records: readonly RecordInput[], entries: TranscriptEntry[]): Promise<void> {
    for (;;) {
      const before = await this.#store.get(SUMMARY);
      if (before !== undefined && read(before) === undefined) {
        await this.#foldAll();
        continue;
      }
      const batch = [...records, record(this.#foldInto(before, entries))];
      // If another process has appended since, the summary must contain that, too.
      const written = await unlessChanged(
        this.#store.putMany(batch, { ifVersions: { [SUMMARY]: before?.version ?? 0 } }),
      );
      if (written === undefined) continue;
      // An entry that was there already must not count as the latest.
      if (written.some((one) => beginsEntry(one) && putCount(one.version) > 1)) await this.#foldAll();
      return;
    }
  }

  /** `undefined` if there are no entries. */
  async summary(): Promise<SessionSummary | undefined> {
    const storedRecord = await this.#store.get(SUMMARY);
    if (storedRecord === undefined) return undefined;
    const stored = read(storedRecord);
    return stored === undefined ? this.#foldAll() : { sessionId: this.#key.sessionId, ...stored };
  }

  /** Makes the summary from all entries, and keeps it unless another process appends at the same moment. */
  async #foldAll(): Promise<SessionSummary | undefined> {
    const current = await this.#store.get(SUMMARY);
    // Deleted in the meantime.
    if (current === undefined) return undefined;
    const entries = await readEntries(this.#store);
    const folded = this.#foldInto(undefined, entries, read(current)?.mtime);
    await unlessChanged(this.#store.put(record(folded), { ifVersion: current.version }));
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

/** `undefined` for a damaged summary, which is made again from the entries. */
function read({ content }: MemoryRecord): StoredSummary | undefined {
  const stored = parseJson(content);
  const isSummary = isObject(stored) && Number.isSafeInteger(stored.mtime) && isObject(stored.data);
  if (!isSummary) return undefined;
  const { mtime, data } = stored as unknown as StoredSummary;
  return { mtime, data };
}

function record({ mtime, data }: StoredSummary): RecordInput & { readonly id: string } {
  return { id: SUMMARY, content: JSON.stringify({ mtime, data } satisfies StoredSummary), index: false };
}
