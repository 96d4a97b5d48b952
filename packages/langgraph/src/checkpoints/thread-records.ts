import { isMemoryError, type MemoryRecord, type RecordInput, type RecordStore } from '@keepsake/core';
import { allItems, isObject, parseJson, sha256 } from '@keepsake/internal';
import { expectIntact, hasTexts } from './damage.ts';
import { type LargeText, LargeTexts } from './large-texts.ts';
import type { StoredCheckpoint } from './stored-checkpoint.ts';

/** The namespace below a thread for what only checkpoints refer to, so that a list of checkpoints never reads it. */
const DATA = ['data'];

/** Documents above this length are stored in parts. As UTF-8, they take less than a record can hold. */
const MAX_DOCUMENT_LENGTH = 340_000;

/** The latest checkpoint, and the version of the record that says so. */
interface Latest {
  readonly id: string;
  readonly version: number;
}

/** A document that is compared and set. */
export interface VersionedDocument {
  readonly document: unknown;
  readonly version: number;
  /** How long its record is. */
  readonly length: number;
}

/** Of how many `checkpoint_ns` a thread remembers the latest checkpoint. */
const REMEMBERED = 64;

/** The records of one thread. */
export class ThreadRecords {
  readonly texts: LargeTexts;
  readonly #store: RecordStore;
  readonly #data: RecordStore;
  /** What was the latest checkpoint of each `checkpoint_ns` when it was read or put last. */
  readonly #latest = new Map<string, Latest>();

  constructor(store: RecordStore, segment: string) {
    this.#store = store.within([segment]);
    this.#data = this.#store.within(DATA);
    this.texts = new LargeTexts(this.#data);
  }

  async checkpoint(ns: string, id: string): Promise<StoredCheckpoint | undefined> {
    const record = await this.#store.get(await checkpointId(ns, id));
    return record && (await this.#readCheckpoint(record.content));
  }

  /** The checkpoint with the greatest id. */
  async latest(ns: string): Promise<Latest | undefined> {
    const record = await this.#store.get(await latestId(ns));
    const latest = record && { id: record.content, version: record.version };
    this.#remember(ns, latest);
    return latest;
  }

  /** The latest checkpoint as this process saw it last, without a read if it has. Others may have put one since. */
  async seenLatest(ns: string): Promise<Latest | undefined> {
    return this.#latest.get(ns) ?? this.latest(ns);
  }

  /** The keys of all checkpoints, or of those of one `checkpoint_ns`, in any order. */
  async *keys(ns?: string): AsyncGenerator<{ readonly ns: string; readonly id: string }> {
    const idPrefix = ns === undefined ? CHECKPOINT : await checkpointPrefix(ns);
    for await (const record of allItems((page) => this.#store.list({ ...page, limit: 100, idPrefix }))) {
      const [key, id] = readCheckpointId(record.id);
      yield {
        ns: key.startsWith(WHOLE) ? key.slice(1) : (await this.#readCheckpoint(record.content)).ns,
        id,
      };
    }
  }

  /**
   * Stores a checkpoint together with which one is the latest, in one write if it is not large. `seen` is what was the latest
   * before. If it no longer is, because another process has put one or deleted the thread, reads it and tries again.
   */
  async putCheckpoint(checkpoint: StoredCheckpoint, seen: Latest | undefined): Promise<void> {
    const { ns } = checkpoint;
    const record = await this.#toRecord(await checkpointId(ns, checkpoint.id), checkpoint);
    const key = await latestId(ns);
    for (let latest = seen; ; latest = await this.latest(ns)) {
      const id = latest === undefined || latest.id < checkpoint.id ? checkpoint.id : latest.id;
      const batch = [record, { id: key, content: id, index: false }];
      try {
        const [, put] = await this.#store.putMany(batch, { ifVersions: { [key]: latest?.version ?? 0 } });
        this.#remember(ns, { id, version: (put as MemoryRecord).version });
        return;
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
      }
    }
  }

  /** A document beside the checkpoints. */
  async document(id: string): Promise<VersionedDocument | undefined> {
    const record = await this.#data.get(id);
    if (record === undefined) return undefined;
    const { content, version } = record;
    return { document: await this.#read(content), version, length: lengthOf(content) };
  }

  /** @throws MemoryError `CONFLICT` if its version is not `ifVersion`; 0 = it must not exist. */
  async putDocument(id: string, document: unknown, ifVersion: number): Promise<VersionedDocument> {
    const record = await this.#toRecord(id, document);
    const { version, content } = await this.#data.put(record, { ifVersion });
    return { document, version, length: lengthOf(content) };
  }

  /** Removes everything. The checkpoints first, so that none remains without its data. */
  async clear(): Promise<void> {
    this.#latest.clear();
    await this.#store.clear();
    await this.#store.clear({ descendants: true });
  }

  #remember(ns: string, latest: Latest | undefined): void {
    this.#latest.delete(ns);
    if (this.#latest.size >= REMEMBERED) this.#latest.clear();
    if (latest !== undefined) this.#latest.set(ns, latest);
  }

  async #toRecord(id: string, document: unknown): Promise<RecordInput> {
    const text = JSON.stringify(document);
    if (text.length <= MAX_DOCUMENT_LENGTH) return { id, content: text, index: false };
    return { id, content: LARGE + JSON.stringify(await this.texts.write(text)), index: false };
  }

  async #readCheckpoint(content: string): Promise<StoredCheckpoint> {
    const checkpoint = await this.#read(content);
    const hasParent = hasTexts(checkpoint, 'parent') || (isObject(checkpoint) && checkpoint.parent === undefined);
    expectIntact(hasTexts(checkpoint, 'ns', 'id') && hasParent && isObject(checkpoint.values));
    return checkpoint as unknown as StoredCheckpoint;
  }

  async #read(content: string): Promise<unknown> {
    const text = content.startsWith(LARGE)
      ? await this.texts.read(parseJson(content.slice(LARGE.length)) as LargeText)
      : content;
    const document = parseJson(text);
    expectIntact(document !== undefined);
    return document;
  }
}

/** Begins the content of a record whose document is in parts. No JSON begins with it. */
const LARGE = 'parts:';

function lengthOf(content: string): number {
  return content.startsWith(LARGE) ? Infinity : content.length;
}

const CHECKPOINT = 'checkpoint:';

async function checkpointPrefix(ns: string): Promise<string> {
  return `${CHECKPOINT}${JSON.stringify([await nsKey(ns)]).slice(0, -1)},`;
}

async function checkpointId(ns: string, id: string): Promise<string> {
  return `${CHECKPOINT}${JSON.stringify([await nsKey(ns), id])}`;
}

function readCheckpointId(recordId: string): [nsKey: string, id: string] {
  return JSON.parse(recordId.slice(CHECKPOINT.length)) as [string, string];
}

async function latestId(ns: string): Promise<string> {
  return `latest:${JSON.stringify([await nsKey(ns)])}`;
}

export async function writesId(ns: string, id: string, page: number): Promise<string> {
  return `writes:${JSON.stringify([await nsKey(ns), id, page])}`;
}

/** Marks a namespace that is not replaced by its digest. */
const WHOLE = '=';

/** Nested subgraphs have long namespaces, which do not fit an id. */
async function nsKey(ns: string): Promise<string> {
  return JSON.stringify(ns).length <= 100 ? WHOLE + ns : `#${await sha256(ns)}`;
}
