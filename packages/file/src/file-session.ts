import type { AnyItem, DurableSession, SessionHistoryMutation, SessionHistoryTransaction } from '@keepsake/core';
import {
  checkId,
  encodeItems,
  expectKnownFields,
  expectSuffix,
  type FieldNames,
  itemLimit,
  prepareMutations,
  prepareTransaction,
  replaceFunctionCalls,
  uuidv7,
  wasApplied,
} from '@keepsake/core/adapter';
import { asMemoryError } from './disk/file-errors.ts';
import { sessionFolder } from './disk/file-names.ts';
import { checkFileOptions, FILE_OPTIONS, type FileOptions } from './file-options.ts';
import { announceChange } from './listing/changes.ts';
import { NOTHING } from './log/batch-footer.ts';
import { reportOnce } from './log/corruption.ts';
import { type Change, type Decide, Log } from './log/log.ts';
import { newestItems } from './sessions/newest-items.ts';
import { itemLine, type SessionLine, SessionView, writeLine } from './sessions/session-view.ts';

/** How to open a {@link FileSession}. */
export interface FileSessionOptions extends FileOptions {
  /** @default A new UUID version 7. */
  readonly sessionId?: string | undefined;
}

const OPTIONS: FieldNames<FileSessionOptions> = { ...FILE_OPTIONS, sessionId: true };

/**
 * A session in a human-readable file that many processes on one machine can share.
 *
 * Every change is appended to a log under a lock; a crash leaves no partial change. Damaged lines are skipped and reported.
 * A change that would remove one is refused with `CORRUPT`, except for clearing the session.
 *
 * @example
 * const session = new FileSession({ directory: '.keepsake', sessionId: 'chat-42' });
 * await session.addItems([{ role: 'user', content: 'Hello' }]);
 */
export class FileSession<Item extends object = AnyItem> implements DurableSession<Item> {
  readonly #id: string;
  readonly #view: SessionView;
  readonly #log: Log<SessionLine>;

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid id or directory. Touches no file. */
  constructor(options: FileSessionOptions) {
    const given = expectKnownFields(options, OPTIONS);
    const { directory, onCorrupt, ...write } = checkFileOptions(given);
    const { sessionId = uuidv7() } = given;
    checkId(sessionId, 'sessionId');
    const folder = sessionFolder(directory, sessionId);
    this.#id = sessionId;
    this.#view = new SessionView(reportOnce(onCorrupt)(folder));
    this.#log = new Log(folder, { keepsake: 'session', version: 1, of: sessionId }, this.#view, {
      ...write,
      announce: announceChange,
    });
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    const count = itemLimit(limit) ?? Infinity;
    const newest = this.#log.readFromBehind((_, lines) => newestItems(lines, count));
    return asMemoryError(newest.then((items) => (items as Item[] | undefined) ?? this.#readAll(count)));
  }

  async addItems(items: Item[]): Promise<void> {
    const lines = encodeItems(items).map(itemLine);
    if (lines.length > 0) await asMemoryError(this.#log.append({ lines, items: lines.length, live: lines.length }));
  }

  async popItem(): Promise<Item | undefined> {
    let popped: Item | undefined;
    await this.#change((read) => {
      const [newest] = this.#view.newestSound(1);
      popped = newest && (read(newest).item as Item);
      return newest && this.#drop(newest.number);
    });
    return popped;
  }

  async clearSession(): Promise<void> {
    await this.#change(() => {
      const kept = { ...this.#view.totals, ...NOTHING };
      return this.#view.isNew ? undefined : { lines: [writeLine({ clear: true })], kept };
    });
  }

  async applyHistoryTransaction(args: {
    operationId: string;
    transaction: SessionHistoryTransaction<Item>;
  }): Promise<void> {
    const change = await prepareTransaction(args);
    const operation = { id: change.operationId, digest: change.digest };
    await this.#change((read) => {
      if (wasApplied(change, this.#view.operations.get(change.operationId)?.digest)) return undefined;
      const suffix = this.#view.newestSound(change.expectedSuffix.length);
      expectSuffix(
        change,
        suffix.map((item) => JSON.stringify(read(item).item)),
      );
      return this.#drop(suffix[0]?.number, change.items, { operation });
    });
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args);
    await this.#change((read) => {
      const sound = this.#view.items.filter((item) => !item.damaged);
      const before = sound.map((item) => JSON.stringify(read(item).item));
      const after = replaceFunctionCalls(before, mutations);
      const same = before.findIndex((item, index) => item !== after[index]);
      const changed = sound[same];
      if (changed === undefined) return undefined;
      this.#view.newestSound(this.#view.items.length - this.#view.items.indexOf(changed));
      return this.#drop(changed.number, after.slice(same));
    });
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    await this.#change(() => {
      this.#view.newestSound(Infinity);
      return this.#view.isNew && encoded.length === 0 ? undefined : this.#drop(0, encoded);
    });
  }

  /** Removes the items from line `from` on, and appends others. */
  #drop(
    from: number | undefined,
    items: readonly string[] = [],
    operation: Pick<SessionLine, 'operation'> = {},
  ): Change {
    const dropped = from === undefined ? {} : { drop: from };
    return {
      lines: [writeLine({ ...dropped, ...operation }), ...items.map(itemLine)],
      items: items.length,
      live: items.length + (operation.operation ? 1 : 0),
      kept: from === undefined ? this.#view.totals : this.#view.totalsBelow(from),
    };
  }

  async #readAll(count: number): Promise<Item[]> {
    return this.#log.read((read) => {
      const sound = this.#view.items.filter((item) => !item.damaged);
      return sound.slice(Math.max(0, sound.length - count)).map((item) => read(item).item as Item);
    });
  }

  #change(decide: Decide<SessionLine>): Promise<void> {
    return asMemoryError(this.#log.change(decide));
  }
}
