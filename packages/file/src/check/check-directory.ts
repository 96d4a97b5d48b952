import { lstatSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Namespace } from '@keepsake/core';
import { fileModeIn, listFolder } from '../disk/disk.ts';
import { asMemoryError } from '../disk/file-errors.ts';
import { findLock, freeLock } from '../disk/file-lock.ts';
import {
  DISCARDED,
  findLogs,
  type LogName,
  memoryFolder,
  namespaceFolder,
  scratchFolder,
  sessionFolder,
  sessionsFolder,
} from '../disk/file-names.ts';
import { TURN } from '../disk/in-turn.ts';
import { removeDiscarded } from '../disk/scratch.ts';
import { checkFileOptions } from '../file-options.ts';
import { allPaths } from '../listing/folder-names.ts';
import { isSettled } from '../listing/last-touch.ts';
import { Log } from '../log/log.ts';
import { readHeader } from '../log/log-header.ts';
import { indexedUpTo } from '../log/log-index.ts';
import type { LogHeader } from '../log/log-reader.ts';
import { SessionView } from '../sessions/session-view.ts';
import { MemoryView } from '../stores/memory-view.ts';

/** A problem in a folder. */
export interface Problem {
  /**
   * - `damaged-lines`: lines of the log can't be read. `repair` moves their remains to a file beside the log; in a session,
   *   it also gives up the positions of damaged items.
   * - `cut-off`: the log ends in the middle of a change, or is shorter than it was. Changes that were acknowledged may be
   *   lost. `repair` moves what is left of the last one to a file beside the log.
   * - `no-header`: the log does not name its session or namespace. The next change by its id repairs it.
   * - `no-lock`: the lock file is missing. `repair` creates one.
   * - `no-log`: the log is missing.
   * - `wrong-folder`: the log belongs to another folder.
   * - `newer-version`: a newer release wrote the log.
   * - `link`: there is a symbolic link instead of a folder.
   * - `removal`: a removal was interrupted. `repair` finishes it.
   * - `unreadable`: reading failed for another reason.
   */
  readonly kind:
    | 'damaged-lines'
    | 'cut-off'
    | 'no-header'
    | 'no-lock'
    | 'no-log'
    | 'wrong-folder'
    | 'newer-version'
    | 'link'
    | 'removal'
    | 'unreadable';
  /** What is wrong and what to do, in English. */
  readonly message: string;
  /** Whether `repair` can repair it. */
  readonly repairable: boolean;
  readonly repaired: boolean;
}

/** The result for one folder: a session or a namespace. */
export interface FolderReport {
  readonly folder: string;
  readonly kind: 'session' | 'memory';
  /** The session's id or the namespace; missing if unknown. */
  readonly of?: string | Namespace;
  /** The number of readable items or records. */
  readonly entries: number;
  /** The size of all files in the folder. */
  readonly bytes: number;
  readonly problems: readonly Problem[];
}

/**
 * Checks a directory by reading all of it, and with `repair` repairs what it can. Yields one report per folder as it goes,
 * or none if the directory does not exist. Other processes may use the directory at the same time.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an invalid directory, `BACKEND` if it can't be read at all.
 */
export async function* checkDirectory(options: {
  readonly directory: string;
  readonly repair?: boolean;
}): AsyncGenerator<FolderReport> {
  const { directory } = checkFileOptions(options);
  const repair = options.repair === true;
  await TURN.wait;
  for (const kind of ['session', 'memory'] as const) {
    const parent = kind === 'session' ? sessionsFolder(directory) : memoryFolder(directory);
    const unreadable: FolderReport[] = [];
    const onError = (group: string, error: unknown) => {
      const folder = join(parent, group);
      const problems = [{ ...unreadableProblem(folder, error), repairable: false, repaired: false }];
      unreadable.push({ folder, kind, entries: 0, bytes: 0, problems });
    };
    for (const folder of await asMemoryError((async () => allPaths(parent, onError))())) {
      const report = await asMemoryError(new FolderCheck(directory, folder, kind, repair).run());
      if (report !== undefined) yield report;
    }
    yield* unreadable;
    const removals = await asMemoryError(checkRemovals(parent, kind, repair));
    if (removals !== undefined) yield removals;
  }
}

function unreadableProblem(folder: string, error: unknown): Pick<Problem, 'kind' | 'message'> {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return {
      kind: 'link',
      message: 'There is a symbolic link instead of a folder. Replace it with the folder itself.',
    };
  }
  return { kind: 'unreadable', message: `It can't be read: ${(error as Error).message}` };
}

const MAX_LOOKS = 20;
const LOOK_MS = 50;
/** A removal in progress is done by then. */
const REMOVAL_MS = 1000;

type Repairable = Pick<Log<object>, 'read' | 'tail' | 'repair'>;

class FolderCheck {
  readonly #directory: string;
  readonly #folder: string;
  readonly #kind: FolderReport['kind'];
  readonly #repair: boolean;
  readonly #problems: Problem[] = [];
  #of: LogHeader['of'] | undefined;
  #entries = 0;

  constructor(directory: string, folder: string, kind: FolderReport['kind'], repair: boolean) {
    this.#directory = directory;
    this.#folder = folder;
    this.#kind = kind;
    this.#repair = repair;
  }

  async run(): Promise<FolderReport | undefined> {
    const stats = lstatSync(this.#folder, { throwIfNoEntry: false });
    // It was just removed.
    if (stats === undefined) return undefined;
    const isLink = stats.isSymbolicLink();
    try {
      await this.#check();
    } catch (error) {
      const { kind, message } = unreadableProblem(this.#folder, error);
      this.#found(kind, message);
    }
    // It was removed in the meantime.
    if (lstatSync(this.#folder, { throwIfNoEntry: false }) === undefined) return undefined;
    return {
      folder: this.#folder,
      kind: this.#kind,
      ...(this.#of === undefined ? {} : { of: this.#of }),
      entries: this.#entries,
      bytes: isLink ? 0 : sizeOf(this.#folder),
      problems: this.#problems,
    };
  }

  async #check(): Promise<void> {
    const { log, hasLock } = await this.#look();
    if (log === undefined) {
      this.#found('no-log', 'The log is missing. Restore it from a backup, or delete the folder.');
      return;
    }
    if (!hasLock) {
      const lock = join(this.#folder, freeLock(log.generation + 1));
      const repaired = this.#repair && make(lock);
      this.#found('no-lock', 'The lock file is missing, so nothing can be written.', true, repaired);
      if (!repaired) return;
    }
    const header = readHeader(this.#folder);
    if (header === undefined) return;
    if (header === 'damaged') {
      this.#found(
        'no-header',
        'The log does not name its session or namespace. It is still read by its id, and the next change repairs it.',
      );
    } else if (!this.#isOurs(header)) return;
    await this.#readAll(header === 'damaged' ? undefined : header);
  }

  /** A listing can miss a file that is being renamed. */
  async #look(): Promise<{ readonly log: LogName | undefined; readonly hasLock: boolean }> {
    for (let attempt = 1; ; attempt++) {
      const names = listFolder(this.#folder);
      const [log] = findLogs(names);
      const hasLock = findLock(names) !== undefined;
      if ((log !== undefined && hasLock) || attempt === MAX_LOOKS) return { log, hasLock };
      await sleep(attempt);
    }
  }

  #isOurs({ version, keepsake, of }: LogHeader): boolean {
    if (version !== 1) {
      this.#found('newer-version', 'A newer version of Keepsake wrote it. Update Keepsake to read it.');
      return false;
    }
    this.#of = of;
    const isSession = typeof of === 'string';
    const rightful = isSession ? sessionFolder(this.#directory, of) : namespaceFolder(this.#directory, of);
    if (keepsake === this.#kind && rightful === this.#folder) return true;
    this.#found(
      'wrong-folder',
      `The log in it belongs to the folder ${relative(this.#directory, rightful)}. If that folder does not exist, move this one there; otherwise this is a copy.`,
    );
    return false;
  }

  async #readAll(header: LogHeader | undefined): Promise<void> {
    const damage: { readonly from: number; readonly to: number }[] = [];
    const report = (from: number, to: number) => {
      if (to > 0) damage.push({ from, to });
    };
    const of = header?.of ?? '';
    if (this.#kind === 'session') {
      const view = new SessionView(report);
      const log = new Log(this.#folder, { keepsake: 'session', version: 1, of }, view, MENDING);
      this.#entries = await log.read(() => view.totals.items);
      await this.#mend(damage, log);
    } else {
      const view = new MemoryView(report, {}, false);
      const log = new Log(this.#folder, { keepsake: 'memory', version: 1, of }, view, MENDING);
      this.#entries = await log.read((readLine) => view.current(readLine).size);
      await this.#mend(damage, log);
    }
  }

  async #mend(damage: readonly { from: number; to: number }[], log: Repairable): Promise<void> {
    const cutOff = await this.#findCutOff(log);
    if (damage.length === 0 && cutOff === undefined) return;
    const repairable = this.#of !== undefined;
    const repaired = repairable && this.#repair && (await log.repair());
    const moved = 'The remains were moved to a file beside the log.';
    for (const { from, to } of damage) {
      const lines = from === to ? `Line ${from} of the log is` : `Lines ${from} to ${to} of the log are`;
      const kept = repaired ? moved : 'All other lines are read.';
      this.#found('damaged-lines', `${lines} damaged. ${kept}`, repairable, repaired);
    }
    if (cutOff === undefined) return;
    const kept = repaired && log.tail !== undefined ? ` ${moved}` : '';
    this.#found('cut-off', `${cutOff}${kept}`, repairable, repaired);
  }

  /** A log from which whole changes are missing at its end looks as before them, unless an index has read them. */
  async #findCutOff(log: Repairable): Promise<string | undefined> {
    for (let look = 0; look < MAX_LOOKS; look++) {
      const before = log.tail;
      const [{ name, number } = { name: '', number: 0 }] = findLogs(listFolder(this.#folder));
      const size = statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0;
      const indexed = indexedUpTo(this.#folder, number);
      await log.read(() => undefined);
      const isSame = before?.offset === log.tail?.offset && before?.end === log.tail?.end;
      // Otherwise somebody is writing.
      if (isSame && isSettled(this.#folder)) {
        if (indexed > size) {
          return `The log is cut off: it has ${size} bytes, but had at least ${indexed}. Changes that were acknowledged are lost. Restore them from a backup.`;
        }
        // The holder of the lock was killed while it wrote: nobody was told that the change was made.
        if (findLock(listFolder(this.#folder))?.holder !== undefined) return undefined;
        return (
          before &&
          'The log is cut off in the middle of a change. If that change failed, as on a full disk, nothing is lost. Otherwise, changes that were acknowledged are lost: restore them from a backup.'
        );
      }
      await sleep(LOOK_MS);
    }
    return undefined;
  }

  #found(kind: Problem['kind'], message: string, repairable = false, repaired = false): void {
    this.#problems.push({ kind, message, repairable, repaired });
  }
}

async function checkRemovals(
  parent: string,
  kind: FolderReport['kind'],
  repair: boolean,
): Promise<FolderReport | undefined> {
  const folder = scratchFolder(parent);
  let discarded = listFolder(folder).filter((name) => name.startsWith(DISCARDED));
  if (discarded.length === 0) return undefined;
  await sleep(REMOVAL_MS);
  const left = new Set(listFolder(folder));
  discarded = discarded.filter((name) => left.has(name));
  if (discarded.length === 0) return undefined;
  const bytes = discarded.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
  if (repair) removeDiscarded(parent);
  const message = 'A removal was interrupted, and the removed data is still on the disk.';
  return {
    folder,
    kind,
    entries: 0,
    bytes,
    problems: [{ kind: 'removal', message, repairable: true, repaired: repair }],
  };
}

/** A log that exists is only rewritten, with the permission bits of its folder. */
const MENDING = { durability: 'sync', fileMode: 0o600 } as const;

function make(path: string): boolean {
  writeFileSync(path, '', { flag: 'wx', mode: fileModeIn(dirname(path)) });
  return true;
}

/** 0 for a folder that can't be read, which is reported as such. */
function sizeOf(folder: string): number {
  try {
    const sizes = listFolder(folder).map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return 0;
  }
}
