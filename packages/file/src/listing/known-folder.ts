import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SessionInfo } from '@keepsake/core';
import { listFolder, type WriteOptions } from '../disk/disk.ts';
import { parentOf, sessionFolder } from '../disk/file-names.ts';
import type { LogEnd } from '../log/backward-reader.ts';
import type { reportOnce } from '../log/corruption.ts';
import { Log } from '../log/log.ts';
import { findIdentity, isNew } from '../log/log-header.ts';
import { isTime } from '../log/timestamp.ts';
import { SessionView } from '../sessions/session-view.ts';
import { isPast, isSettled } from './last-touch.ts';

/** Longer than it takes from the creation of a folder to its first write. After a crash, there may never be one. */
const CREATED_MS = 10_000;

/** What is known of the folder of a session. */
export interface KnownFolder {
  readonly name: string;
  /**
   * When the folder was last touched, in milliseconds since 1970; 0 if its time does not tell whether it was touched since, and
   * without a session.
   */
  readonly stamp: number;
  /** Whether no change was under way. Otherwise the folder must be read again. */
  readonly isSettled: boolean;
  /** Its entry in the list, with times as in the log; missing if it holds no session. */
  readonly session: SessionInfo | undefined;
}

/**
 * Reads the folder of a session; `undefined` if it does not exist.
 *
 * @param knownId - The session's id, if it is known from before. It counts where nothing in the folder tells the id any more.
 */
export async function readFolder(
  folder: string,
  options: WriteOptions,
  report: ReturnType<typeof reportOnce>,
  knownId?: string,
): Promise<KnownFolder | undefined> {
  const now = Date.now();
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // Before the log: if the lock is free now, all changes that were announced are in the log.
  const settled = isSettled(folder);
  const session = await readSession(folder, stat.mtime, options, report, knownId);
  const isStamp = session !== undefined && settled && isPast(stat.mtimeMs, now);
  const stamp = isStamp ? stat.mtimeMs : 0;
  return { name: basename(folder), stamp, isSettled: settled, session };
}

async function readSession(
  folder: string,
  touched: Date,
  options: WriteOptions,
  reporter: ReturnType<typeof reportOnce>,
  knownId: string | undefined,
  isSecond = false,
): Promise<SessionInfo | undefined> {
  const report = reporter(folder);
  const { of, hasLog } = findIdentity(folder, report);
  const sessionId = of ?? (listFolder(folder).length > 0 ? knownId : undefined);
  // A copy of a folder is not a second session.
  if (typeof sessionId !== 'string' || folder !== sessionFolder(dirname(parentOf(folder)), sessionId)) return undefined;
  const at = touched.toISOString();
  // What is not listed is not erased, so a session must be listed if anything of it is stored.
  const nothing = { sessionId, itemCount: 0, createdAt: at, updatedAt: at };
  if (!hasLog) return nothing;
  const view = new SessionView(report);
  const log = new Log(folder, { keepsake: 'session', version: 1, of: sessionId }, view, options);
  const end = await log.readFromBehind((one) => ({ info: infoOf(one), last: (one?.next ?? 1) - 1 }));
  const info = end === undefined ? await log.read(() => view.info) : end.info;
  if (info !== undefined && isTime(info.createdAt) && isTime(info.updatedAt)) return { sessionId, ...info };
  if (info === undefined && (end !== undefined || view.isNew)) {
    const isBeingCreated = isNew(folder) && Date.now() - touched.getTime() < CREATED_MS;
    if (isBeingCreated || !isSettled(folder)) return undefined;
    // Whoever was writing is done by now, or dead.
    return isSecond ? nothing : readSession(folder, touched, options, reporter, knownId, true);
  }
  // Without an intact line, or with one that another program wrote, the times are unknown.
  if (info !== undefined) report(end?.last ?? 1, end?.last ?? 1);
  return { ...nothing, itemCount: info?.itemCount ?? 0 };
}

/** The session's entry for a list, from the end of its log; `undefined` for a session without any write. */
function infoOf(end: LogEnd | undefined): Omit<SessionInfo, 'sessionId'> | undefined {
  if (end?.newest === undefined) return undefined;
  const { at, footer } = end.newest;
  return { itemCount: footer.items, createdAt: footer.since, updatedAt: at };
}
