import { isMemoryError, MemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';
import { type Check, expectFields } from '@keepsake/core/adapter';
import { allPages } from '@keepsake/internal';
import { type Storage, StorageError } from '@strands-agents/sdk';
import { readBase64 } from './storage/base64.ts';
import { isIdText, storageKey, storagePrefix } from './storage/storage-key.ts';
import { type Head, headId, headRecord, isStorable, partIds, readHead, valueRecords } from './storage/stored-value.ts';

/** How many times to repeat a step that others keep interrupting. */
const MAX_ATTEMPTS = 20;
/** How many keys to check at once. */
const PAGE = 50;
/** A record needs a content. */
const KEY = '1';

export interface KeepsakeStorageOptions {
  /**
   * Where to keep the values: in `storage` below the namespace of this store. It needs strong consistency, atomic batches
   * and lists, which all Keepsake backends on a database or on files have.
   */
  readonly store: RecordStore;
}

const OPTIONS = {
  store: ['within'],
} as const satisfies Record<keyof KeepsakeStorageOptions, Check>;

/** The record of a head, and what it says. */
interface HeadRecord {
  readonly record: MemoryRecord;
  readonly head: Head;
}

/**
 * A Strands `Storage` in any Keepsake store, for session managers, context offloading and everything else that Strands keeps
 * as bytes.
 *
 * A write is atomic whatever its size: after a kill, the key has its new value or the one before. Any number of processes can
 * use the same keys, and the last write wins. Rejects with `StorageError`, whose `cause` is the error of the store.
 *
 * @example
 * ```ts
 * const storage = new KeepsakeStorage({ store: new SqliteStore({ file: 'agents.db', name: 'agents' }) });
 * const agent = new Agent({ sessionManager: new SessionManager({ sessionId: 'chat-42', storage }) });
 * ```
 */
export class KeepsakeStorage implements Storage {
  readonly #store: RecordStore;
  /** A record for each key, so that listing keys reads no values. It may have keys that are gone, but misses none. */
  readonly #keys: RecordStore;

  constructor(options: KeepsakeStorageOptions) {
    const { store } = expectFields(options, '', OPTIONS);
    if (store === undefined) {
      throw new MemoryError('INVALID_ARGUMENT', '`store` is missing. Pass a record store, such as a SqliteStore.');
    }
    const { consistency, atomicBatch, enumerate } = store.capabilities;
    if (consistency !== 'strong' || !atomicBatch || !enumerate) {
      const what = 'A storage needs a store with strong consistency, atomic batches and lists.';
      throw new MemoryError('UNSUPPORTED', `${what} Use another backend.`);
    }
    this.#store = store.within(['storage']);
    this.#keys = this.#store.within(['keys']);
  }

  /** Stores a copy of `data` under the key, in place of any other value. Keys can have 508 characters. */
  async write(key: string, data: Uint8Array): Promise<void> {
    const name = storageKey(key);
    // The caller may reuse its buffer before the write is done.
    const bytes = Uint8Array.from(data);
    if (!isStorable(name)) {
      throw new StorageError('A storage key must be at most 508 characters long, without NUL and lone surrogates.');
    }
    await this.#guarded('write', name, async () => {
      for (;;) {
        const before = await this.#find(name);
        // Left behind if the process that wrote the value before was killed.
        if (before?.head.old !== undefined) await this.#remove(partIds(before.head.old));
        const isNew = before === undefined || before.head.deleted;
        if (isNew) await this.#addKey(name);
        const records = await valueRecords(name, bytes, before?.head);
        const ifVersions = { [headId(name)]: before?.record.version ?? 0 };
        // If another process has written or deleted the key since, its parts must be removed, too.
        if ((await ifUnchanged(this.#store.putMany(records, { ifVersions }))) === undefined) continue;
        // Another process may have written and deleted the key since, and with it what was added above.
        if (isNew) await this.#addKey(name);
        if (before !== undefined) await this.#remove(partIds(before.head));
        return;
      }
    });
  }

  /** The bytes of the key, or `null`. */
  async read(key: string): Promise<Uint8Array | null> {
    const name = storageKey(key);
    if (!isStorable(name)) return null;
    return this.#guarded('read', name, async () => {
      let missing: string | undefined;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const head = (await this.#find(name))?.head;
        if (head === undefined || head.deleted) return null;
        // Parts are removed only after their value was replaced.
        if (head.write === missing) throw new MemoryError('CORRUPT', 'Parts of this value are missing in the store.');
        const data = await this.#readParts(head);
        if (data !== undefined) return data;
        missing = head.write;
      }
      throw new MemoryError('CONFLICT', `This value keeps changing; gave up after ${MAX_ATTEMPTS} attempts.`);
    });
  }

  /** Removes the key, if it is there. */
  async delete(key: string): Promise<void> {
    const name = storageKey(key);
    if (!isStorable(name)) return;
    await this.#guarded('delete', name, async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const ifVersion = (await this.#keys.get(name))?.version;
        const entry = await this.#find(name);
        if (entry === undefined || entry.head.deleted) return;
        if (!(await this.#deleted(name, entry))) continue;
        // Whoever writes the key in the meantime adds it again.
        if (ifVersion !== undefined) await ifUnchanged(this.#keys.delete(name, { ifVersion }));
        return;
      }
      throw new MemoryError('CONFLICT', `This value keeps changing; gave up after ${MAX_ATTEMPTS} attempts.`);
    });
  }

  /** The sorted keys that begin with `prefix`. */
  async list(prefix: string): Promise<string[]> {
    const start = storagePrefix(prefix);
    return this.#guarded('list', start, async () => {
      const idPrefix = start !== '' && isIdText(start) ? start : undefined;
      const keys: string[] = [];
      for await (const page of allPages((page) => this.#keys.list({ ...page, idPrefix }), { limit: PAGE })) {
        const names = page.map(({ id }) => id).filter((name) => name.startsWith(start));
        const entries = await Promise.all(names.map((name) => this.#find(name)));
        keys.push(...names.filter((_, index) => entries[index] !== undefined && !entries[index].head.deleted));
      }
      return keys.sort();
    });
  }

  #addKey(key: string): Promise<MemoryRecord> {
    return this.#keys.put({ id: key, content: KEY, index: false });
  }

  async #find(key: string): Promise<HeadRecord | undefined> {
    const record = await this.#store.get(headId(key));
    return record && { record, head: readHead(record) };
  }

  /** `undefined` if a part is gone. */
  async #readParts(head: Head): Promise<Uint8Array | undefined> {
    const parts = await Promise.all(partIds(head).map((id) => this.#store.get(id)));
    if (!parts.every((part) => part !== undefined)) return undefined;
    const data = new Uint8Array(head.bytes);
    let offset = 0;
    for (const part of parts) {
      offset = readBase64(part.content, data, offset);
    }
    return data;
  }

  /** Marks a value as deleted, so that it is gone at once, then removes it. Returns whether it was still the value. */
  async #deleted(key: string, { record, head }: HeadRecord): Promise<boolean> {
    const { write, parts, old } = head;
    const marked = await ifUnchanged(
      this.#store.put(headRecord(key, { write, parts, bytes: 0, deleted: true, ...(old && { old }) }), {
        ifVersion: record.version,
      }),
    );
    if (marked === undefined) return false;
    await this.#remove([...partIds(head), ...(old === undefined ? [] : partIds(old))]);
    // A write in the meantime has replaced the mark, and keeps its own head.
    await ifUnchanged(this.#store.delete(marked.id, { ifVersion: marked.version }));
    return true;
  }

  async #remove(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#store.delete(id)));
  }

  async #guarded<T>(what: string, key: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      const reason = isMemoryError(error) ? `: ${error.message}` : '.';
      throw new StorageError(`Could not ${what} \`${key}\` in the Keepsake store${reason}`, { cause: error });
    }
  }
}

/** The result, or `undefined` if the record has changed. */
async function ifUnchanged<T>(change: Promise<T>): Promise<T | undefined> {
  try {
    return await change;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return undefined;
    throw error;
  }
}
