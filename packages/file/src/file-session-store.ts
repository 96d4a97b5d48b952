import type { AnyItem, DurableSession, Page, PageOptions, SessionInfo, SessionStore } from '@keepsake/core';
import {
  checkId,
  expectKnownFields,
  PAGE_OPTIONS,
  pageLimit,
  readCursor,
  type WithDefaults,
  writeCursor,
} from '@keepsake/core/adapter';
import { asMemoryError } from './disk/file-errors.ts';
import { sessionFolder, sessionsFolder } from './disk/file-names.ts';
import { checkFileOptions, FILE_OPTIONS, type FileOptions } from './file-options.ts';
import { FileSession } from './file-session.ts';
import type { LogEnd } from './log/backward-reader.ts';
import { reportOnce } from './log/corruption.ts';
import { Log } from './log/log.ts';
import { readHeaders } from './log/log-header.ts';
import { toMilliseconds } from './log/timestamp.ts';
import { SessionView } from './sessions/session-view.ts';

/** All sessions of a directory. */
export class FileSessionStore implements SessionStore {
  readonly #options: WithDefaults<FileOptions>;
  readonly #report: ReturnType<typeof reportOnce>;

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid directory. Touches no file. */
  constructor(options: FileOptions) {
    this.#options = checkFileOptions(expectKnownFields(options, FILE_OPTIONS));
    this.#report = reportOnce(this.#options.onCorrupt);
  }

  open<Item extends object = AnyItem>(sessionId?: string): DurableSession<Item> {
    return new FileSession<Item>({ ...this.#options, ...(sessionId === undefined ? {} : { sessionId }) });
  }

  /**
   * Reads the ends of all session logs, so counts are up to date. A session whose first line is damaged has lost its id:
   * it is reported, and not listed until the next write to it.
   */
  async list(options: PageOptions = {}): Promise<Page<SessionInfo>> {
    const given = expectKnownFields(options, PAGE_OPTIONS);
    const limit = pageLimit(given);
    const cursor = readCursor(given.cursor, 'sessions', ['string', 'string']);
    const all = (await asMemoryError(this.#readAll())).sort(newestFirst);
    const rest = cursor
      ? all.filter(
          (session) => newestFirst(session, { updatedAt: String(cursor[0]), sessionId: String(cursor[1]) }) > 0,
        )
      : all;
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    const items = page.map((session) => ({
      ...session,
      createdAt: toMilliseconds(session.createdAt),
      updatedAt: toMilliseconds(session.updatedAt),
    }));
    if (rest.length <= limit || last === undefined) return { items };
    return { items, cursor: writeCursor('sessions', [last.updatedAt, last.sessionId]) };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    return asMemoryError(this.#log(sessionId, sessionFolder(this.#options.directory, sessionId)).log.remove());
  }

  async #readAll(): Promise<SessionInfo[]> {
    const parent = sessionsFolder(this.#options.directory);
    const sessions: SessionInfo[] = [];
    for (const { folder, of: sessionId } of readHeaders(parent, this.#report)) {
      // A copy of a folder is not a second session.
      if (typeof sessionId !== 'string' || folder !== sessionFolder(this.#options.directory, sessionId)) continue;
      const { log, view } = this.#log(sessionId, folder);
      const info = (await log.readFromBehind(infoOf)) ?? (await log.read(() => view.info));
      if (info) sessions.push({ sessionId, ...info });
    }
    return sessions;
  }

  #log(sessionId: string, folder: string) {
    const view = new SessionView(this.#report(folder));
    const log = new Log(folder, { keepsake: 'session', version: 1, of: sessionId }, view, this.#options);
    return { log, view };
  }
}

/** The session's entry for a list, from the end of its log; `undefined` for a session without any write. */
function infoOf(end: LogEnd | undefined): Omit<SessionInfo, 'sessionId'> | undefined {
  if (end?.newest === undefined) return undefined;
  const { at, footer } = end.newest;
  return { itemCount: footer.items, createdAt: footer.since, updatedAt: at };
}

/** Timestamps of one process never tie, those of several can: then the id breaks the tie. */
function newestFirst(a: Pick<SessionInfo, 'updatedAt' | 'sessionId'>, b: typeof a): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.sessionId < b.sessionId ? 1 : a.sessionId > b.sessionId ? -1 : 0;
}
