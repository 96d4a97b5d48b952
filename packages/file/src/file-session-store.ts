import { basename } from 'node:path';
import {
  type AnyItem,
  type DurableSession,
  MemoryError,
  type Page,
  type SessionInfo,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import { checkId, checkSessionList, expectKnownFields, readCursor, writeCursor } from '@keepsake/core/adapter';
import type { WithDefaults } from '@keepsake/internal';
import { asMemoryError } from './disk/file-errors.ts';
import { parentOf, sessionFolder } from './disk/file-names.ts';
import { checkFileOptions, FILE_OPTIONS, type FileOptions } from './file-options.ts';
import { FileSession } from './file-session.ts';
import { forgetChanges } from './listing/changes.ts';
import { forgetSaved } from './listing/saved-group.ts';
import { SessionList } from './listing/session-list.ts';
import { reportOnce } from './log/corruption.ts';
import { toMilliseconds } from './log/timestamp.ts';
import { SessionLog } from './sessions/session-log.ts';

/**
 * All sessions of a directory.
 *
 * @example
 * const sessions = new FileSessionStore({ directory: '.keepsake' });
 * const { items } = await sessions.list(); // newest activity first
 */
export class FileSessionStore implements SessionStore {
  /** The absolute path of its directory. */
  readonly directory: string;
  readonly #options: WithDefaults<FileOptions>;
  readonly #report: ReturnType<typeof reportOnce>;
  readonly #list: SessionList;

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid directory. Touches no file. */
  constructor(options: FileOptions) {
    this.#options = checkFileOptions(expectKnownFields(options, FILE_OPTIONS));
    this.directory = this.#options.directory;
    this.#report = reportOnce(this.#options.onCorrupt);
    this.#list = new SessionList(this.#options.directory, this.#options, this.#report);
  }

  open<Item extends object = AnyItem>(sessionId?: string): DurableSession<Item> {
    return new FileSession<Item>({ ...this.#options, ...(sessionId === undefined ? {} : { sessionId }) });
  }

  /**
   * Finds the sessions with a `segment`, or of an `idPrefix` with a `:`, by an index. For other lists, and after many,
   * keeps all in memory, so use one store for many lists: only the first reads the folders of all sessions, the others
   * those that have changed. A session whose log is damaged is reported and listed. If nothing intact tells its times, it has
   * those of its folder; if nothing intact in it or in the index tells its id, it can't be listed.
   */
  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix = '', segment } = checkSessionList(options);
    const position = readCursor(cursor, 'sessions', ['string', 'string']);
    const after = position && { updatedAt: String(position[0]), sessionId: String(position[1]) };
    // One more than a page tells whether there is a next page.
    const sessions = await asMemoryError(this.#list.read({ after, idPrefix, segment, count: limit + 1 }));
    const page = sessions.slice(0, limit);
    const items = page.map((session) => ({
      ...session,
      createdAt: toMilliseconds(session.createdAt),
      updatedAt: toMilliseconds(session.updatedAt),
    }));
    const last = page.at(-1);
    if (sessions.length <= limit || last === undefined) return { items };
    return { items, cursor: writeCursor('sessions', [last.updatedAt, last.sessionId]) };
  }

  /**
   * Counts the folders of sessions of which no intact line names the session, neither in the log nor in the lock. Reads those
   * that the list of sessions does not have.
   */
  async unidentified(): Promise<number> {
    return asMemoryError(this.#list.unidentified());
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    const folder = sessionFolder(this.#options.directory, sessionId);
    const isRemoved = await new SessionLog(sessionId, folder, this.#options, this.#report(folder)).remove();
    try {
      // Also if there was none, because an earlier call may have failed here.
      forgetFolder(folder);
    } catch (cause) {
      const message =
        'The session was removed, but the files of the list may still name it, see the cause. Remove it again.';
      throw new MemoryError('BACKEND', message, { cause });
    }
    return isRemoved;
  }
}

/** Removes what the files of the list tell of a session that was removed. */
export function forgetFolder(folder: string): void {
  const [parent, name] = [parentOf(folder), basename(folder)];
  try {
    forgetChanges(parent, name);
  } finally {
    forgetSaved(parent, name);
  }
}
