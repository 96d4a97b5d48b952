import {
  isMemoryError,
  type JsonObject,
  MemoryError,
  type MemoryRecord,
  type Page,
  type PageOptions,
} from '@keepsake/core';
import { LIMITS, uuidv7 } from '@keepsake/core/adapter';
import { allItems, allPages } from '@keepsake/internal';
import type { ConversationKind } from './kind.ts';
import { paging } from './paging.ts';
import { type Places, runRecordId } from './places.ts';
import { readBody } from './read-body.ts';
import { type CheckedRun, isRunBody, type Run, type RunBody, type RunStatus } from './run.ts';
import type { HistoryStart } from './session.ts';

/** A longer text continues in further records. */
const FITS = LIMITS.contentBytes;

/** The rest of a long run: the id of its write, and the number of records. */
interface Parts {
  readonly write: string;
  readonly count: number;
}

/** The runs of one session. The record of a run is the source of truth. */
export class RunRecords {
  readonly #places: Places;
  readonly #kind: ConversationKind;
  readonly #sessionId: string;

  constructor(places: Places, kind: ConversationKind, sessionId: string) {
    this.#places = places;
    this.#kind = kind;
    this.#sessionId = sessionId;
  }

  async get(seq: number): Promise<Run | undefined> {
    const record = await this.#store.get(runRecordId(seq));
    return record && this.#read(record);
  }

  /** The highest `seq` so far, or 0. */
  async newestSeq(): Promise<number> {
    const [newest] = (await this.#store.list({ limit: 1 })).items;
    return newest === undefined ? 0 : Number(newest.id);
  }

  /** The completed runs of a history, newest first, without those that later ones replace. Reads page by page, on demand. */
  async *newestCompleted(start: HistoryStart, pageSize: number): AsyncGenerator<Run> {
    let end = start.before ?? Infinity;
    for await (const run of this.#allCompleted(start, pageSize)) {
      if (run.seq >= end) continue;
      end = Math.min(run.seq, run.replaces ?? Infinity);
      yield run;
    }
  }

  async *#allCompleted({ after, since }: HistoryStart, pageSize: number): AsyncGenerator<Run> {
    yield* this.#newestAfter(after, pageSize);
    for (const seq of since.toSorted((a, b) => b - a)) {
      const run = await this.get(seq);
      if (run?.status === 'completed') yield run;
    }
  }

  async *#newestAfter(after: number, pageSize: number): AsyncGenerator<Run> {
    const list = (page: PageOptions) => this.#store.list({ ...page, filter: { status: 'completed' } });
    for await (const record of allItems(list, { limit: pageSize })) {
      if (Number(record.id) <= after) return;
      const run = await this.#read(record);
      // It was removed while its parts were read.
      if (run !== undefined) yield run;
    }
  }

  /** A page of runs, newest first. */
  async list(status: RunStatus | undefined, options: PageOptions): Promise<Page<Run>> {
    const page = await this.#store.list({
      ...paging(options),
      ...(status === undefined ? {} : { filter: { status } }),
    });
    const runs = await Promise.all(page.items.map((record) => this.#read(record)));
    return { ...page, items: runs.filter((run) => run !== undefined) };
  }

  /** All runs, page by page, oldest first, without their items. */
  async *pages(): AsyncGenerator<
    readonly { readonly seq: number; readonly runId: string; readonly status: RunStatus }[]
  > {
    const list = (page: PageOptions) => this.#store.list({ ...page, order: 'oldest' });
    for await (const records of allPages(list, { limit: 100 })) {
      yield records.map((record) => ({ seq: Number(record.id), ...headOf(record) }));
    }
  }

  /**
   * Writes a run if the stored version matches (0: none), else throws `CONFLICT`. A run is always complete: parts that don't
   * fit into its record are written first.
   */
  async put(seq: number, run: Pick<CheckedRun, 'runId' | 'status' | 'body'>, ifVersion: number): Promise<Run> {
    const { runId, status, body } = run;
    const id = runRecordId(seq);
    const former = ifVersion === 0 ? undefined : await this.#store.get(id);
    const text = JSON.stringify(body);
    const parts = isLong(text) ? await this.#putParts(id, text) : undefined;
    const metadata: JsonObject = { runId, status, ...(parts === undefined ? {} : { parts: { ...parts } }) };
    const content = parts === undefined ? text : `See its ${parts.count} parts.`;
    let record: MemoryRecord;
    try {
      record = await this.#store.put({ id, content, metadata, index: false }, { ifVersion });
    } catch (error) {
      // Only now does nothing refer to them.
      if (isMemoryError(error, 'CONFLICT')) await this.#deleteParts(id, parts);
      throw error;
    }
    await this.#deleteParts(id, former && partsOf(former));
    return toRun(record, body);
  }

  async delete(seq: number): Promise<void> {
    const id = runRecordId(seq);
    const record = await this.#store.get(id);
    await this.#store.delete(id);
    await this.#deleteParts(id, record && partsOf(record));
  }

  /** Removes all runs. Returns how many there were. */
  async clear(): Promise<number> {
    const count = await this.#store.clear();
    await this.#parts.clear();
    return count;
  }

  get #store() {
    return this.#places.runs(this.#kind, this.#sessionId);
  }

  get #parts() {
    return this.#places.runParts(this.#kind, this.#sessionId);
  }

  async #read(record: MemoryRecord): Promise<Run | undefined> {
    const parts = partsOf(record);
    if (parts === undefined) return toRun(record, readBody(record.content, isRunBody));
    const texts = await Promise.all(
      Array.from({ length: parts.count }, (_, place) => this.#parts.get(partId(record.id, parts, place))),
    );
    if (texts.every((part) => part !== undefined)) {
      return toRun(record, readBody(texts.map(({ content }) => content.slice(1)).join(''), isRunBody));
    }
    // The run may have been replaced or removed in the meantime. If not, its parts are lost.
    const current = await this.#store.get(record.id);
    if (current?.version !== record.version) return current && this.#read(current);
    throw new MemoryError('CORRUPT', 'A part of a run is missing. Another program may have removed it.');
  }

  async #putParts(id: string, text: string): Promise<Parts> {
    const texts = splitText(text);
    const parts = { write: uuidv7(), count: texts.length };
    for (const [place, part] of texts.entries()) {
      // The leading character keeps a part from being blank, which stores refuse.
      await this.#parts.put({ id: partId(id, parts, place), content: `|${part}`, index: false });
    }
    return parts;
  }

  async #deleteParts(id: string, parts: Parts | undefined): Promise<void> {
    if (parts === undefined) return;
    for (let place = 0; place < parts.count; place++) await this.#parts.delete(partId(id, parts, place));
  }
}

function isLong(text: string): boolean {
  // A UTF-16 code unit takes at most 3 bytes, so most texts need no counting.
  return text.length * 3 > FITS && new TextEncoder().encode(text).length > FITS;
}

function partId(id: string, { write }: Parts, place: number): string {
  return `${id} ${write} ${place}`;
}

function headOf({ metadata }: MemoryRecord): { readonly runId: string; readonly status: RunStatus } {
  const { runId, status } = metadata as { runId: string; status: RunStatus };
  return { runId, status };
}

function partsOf({ metadata }: MemoryRecord): Parts | undefined {
  return metadata.parts as Parts | undefined;
}

function toRun(record: MemoryRecord, body: RunBody): Run {
  const { id, version, createdAt, updatedAt } = record;
  return { ...headOf(record), seq: Number(id), ...body, version, createdAt, updatedAt };
}

/** This many UTF-16 code units plus one never exceed 1 MiB of UTF-8. */
const MAX_UNITS = 349_000;

/** Splits a text into pieces that fit into a record, never within a surrogate pair. */
export function splitText(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + MAX_UNITS, text.length);
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
