import {
  checkId,
  type DurableSession,
  type JsonObject,
  type Page,
  type PageOptions,
  pageLimit,
  readCursor,
  type SessionInfo,
  type SessionStore,
  writeCursor,
} from '@keepsake/core';
import { asMemoryError } from './disk/file-errors.ts';
import { sessionFolder, sessionsFolder } from './disk/file-names.ts';
import { checkFileOptions, type FileOptions } from './file-options.ts';
import { FileSession } from './file-session.ts';
import type { LogEnd } from './log/backward-reader.ts';
import { reportOnce } from './log/corruption.ts';
import { Log } from './log/log.ts';
import { readHeaders } from './log/log-header.ts';
import { toMilliseconds } from './log/timestamp.ts';
import { SessionView } from './sessions/session-view.ts';

/** All sessions of a directory. */
export class FileSessionStore implements SessionStore {
  readonly #options: Required<FileOptions>;
  readonly #report: ReturnType<typeof reportOnce>;

  /** @throws MemoryError `INVALID_ARGUMENT` for a directory that can't be used. Touches no file. */
  constructor(options: FileOptions) {
    this.#options = checkFileOptions(options);
    this.#report = reportOnce(this.#options.onCorrupt);
  }

  open<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item> {
    return new FileSession<Item>({ ...this.#options, ...(sessionId === undefined ? {} : { sessionId }) });
  }

  /**
   * Reads the ends of the logs of all sessions, so that counts are those of the last write. A session whose first line is damaged has lost its name: it is reported, and
   * not listed until it is written to.
   */
  async list(options?: PageOptions): Promise<Page<SessionInfo>> {
    const limit = pageLimit(options);
    const cursor = readCursor(options?.cursor, 'sessions', ['string', 'string']);
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
      // The copy that somebody made of a folder is no second session.
      if (typeof sessionId !== 'string' || folder !== sessionFolder(this.#options.directory, sessionId)) continue;
      const { log, view } = this.#log(sessionId, folder);
      const info = (await log.readFromBehind(infoOf)) ?? (await log.read(() => view.info));
      if (info) sessions.push({ sessionId, ...info });
    }
    return sessions;
  }

  #log(sessionId: string, folder: string) {
    const view = new SessionView(this.#report(folder));
    const log = new Log(folder, { keepsake: 'session', version: 1, of: sessionId }, view, this.#options.durability);
    return { log, view };
  }
}

/** What the end of a log says of its session; `undefined` for one that has only been made. */
function infoOf(end: LogEnd | undefined): Omit<SessionInfo, 'sessionId'> | undefined {
  if (end?.newest === undefined) return undefined;
  const { at, trail } = end.newest;
  return { itemCount: trail.items, createdAt: trail.since, updatedAt: at };
}

/** Times of one process have microseconds and never tie; those of several may, and then the id decides. */
function newestFirst(a: Pick<SessionInfo, 'updatedAt' | 'sessionId'>, b: typeof a): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.sessionId < b.sessionId ? 1 : a.sessionId > b.sessionId ? -1 : 0;
}
