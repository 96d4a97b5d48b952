import { lstatSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMemoryError, type Namespace } from '@keepsake/core';
import { listFolder } from '../disk/disk.ts';
import { asMemoryError } from '../disk/file-errors.ts';
import { findLock, freeLock } from '../disk/file-lock.ts';
import {
  DISCARDED,
  findLogs,
  isFolderName,
  type LogName,
  memoryFolder,
  namespaceFolder,
  scratchFolder,
  sessionFolder,
  sessionsFolder,
} from '../disk/file-names.ts';
import { removeDiscarded } from '../disk/scratch.ts';
import { checkFileOptions } from '../file-options.ts';
import { Log } from '../log/log.ts';
import { readHeader } from '../log/log-header.ts';
import type { LogHeader } from '../log/log-reader.ts';
import { SessionView } from '../sessions/session-view.ts';
import { MemoryView } from '../stores/memory-view.ts';

/** Something that is not as it should be. */
export interface Problem {
  /**
   * - `damaged-lines`: lines of the log can't be read. Mended by moving what is left of them to a file beside the log; for
   *   a session, that also lets go of the places that damaged items had.
   * - `no-header`: the log does not say whose it is. The next change by its id mends it.
   * - `no-lock`: the folder has lost its lock. Mended by making one.
   * - `no-log`: the folder has lost its log.
   * - `wrong-folder`: the log belongs to another folder.
   * - `newer-version`: the log was written by a newer release.
   * - `link`: a symbolic link stands where a folder should.
   * - `removal`: a removal was cut short. Mended by finishing it.
   * - `unreadable`: reading failed otherwise.
   */
  readonly kind:
    | 'damaged-lines'
    | 'no-header'
    | 'no-lock'
    | 'no-log'
    | 'wrong-folder'
    | 'newer-version'
    | 'link'
    | 'removal'
    | 'unreadable';
  /** What is wrong and what can be done, for people. */
  readonly message: string;
  /** Whether it can be mended here. */
  readonly mendable: boolean;
  readonly mended: boolean;
}

/** What was found in the folder of a session or a namespace. */
export interface FolderReport {
  readonly folder: string;
  readonly kind: 'session' | 'memory';
  /** The session's id or the namespace; missing where that can't be told. */
  readonly of?: string | Namespace;
  /** How many items or records can be read. */
  readonly entries: number;
  /** Of all files in the folder. */
  readonly bytes: number;
  readonly problems: readonly Problem[];
}

/**
 * Checks everything that a directory holds, by reading all of it, and with `mend` mends what can be. Gives one report a
 * folder, as it goes; nothing where there is no directory. Others may use the directory meanwhile.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a directory that can't be used, `BACKEND` where it can't be read at all.
 */
export async function* checkDirectory(options: {
  readonly directory: string;
  readonly mend?: boolean;
}): AsyncGenerator<FolderReport> {
  const { directory } = checkFileOptions(options);
  const mend = options.mend === true;
  for (const kind of ['session', 'memory'] as const) {
    const parent = kind === 'session' ? sessionsFolder(directory) : memoryFolder(directory);
    const names = await asMemoryError((async () => listFolder(parent))());
    for (const name of names.filter(isFolderName).sort()) {
      const report = await new FolderCheck(join(parent, name), kind, mend).run();
      if (report !== undefined) yield report;
    }
    const removals = await checkRemovals(parent, kind, mend);
    if (removals !== undefined) yield removals;
  }
}

const MAX_LOOKS = 20;
/** A removal that is under way is done by then. */
const REMOVAL_MS = 1000;

class FolderCheck {
  readonly #folder: string;
  readonly #kind: FolderReport['kind'];
  readonly #mend: boolean;
  readonly #problems: Problem[] = [];
  #of: LogHeader['of'] | undefined;
  #entries = 0;

  constructor(folder: string, kind: FolderReport['kind'], mend: boolean) {
    this.#folder = folder;
    this.#kind = kind;
    this.#mend = mend;
  }

  async run(): Promise<FolderReport | undefined> {
    const found = lstatSync(this.#folder, { throwIfNoEntry: false });
    // Somebody has just removed it.
    if (found === undefined) return undefined;
    const isLink = found.isSymbolicLink();
    try {
      if (isLink) this.#found('link', 'A symbolic link stands here. Put the folder itself in its place.');
      else await this.#check();
    } catch (error) {
      const said = isMemoryError(error) ? error.message : (error as Error).message;
      this.#found('unreadable', `It can not be read: ${said}`);
    }
    // It was removed meanwhile.
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
      const mended = this.#mend && make(lock);
      this.#found('no-lock', 'The lock file is missing, so nothing can be written.', true, mended);
      if (!mended) return;
    }
    const header = readHeader(this.#folder);
    if (header === undefined) return;
    if (header === 'damaged') {
      this.#found('no-header', 'The log does not say whose it is. It is read by its id, and the next change mends it.');
    } else if (!this.#isOurs(header)) return;
    await this.#readAll(header === 'damaged' ? undefined : header);
  }

  /** A listing may miss a file in the moment when it gets another name. */
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
      this.#found('newer-version', 'It was written by a newer version of Keepsake. Update to read it.');
      return false;
    }
    this.#of = of;
    const directory = dirname(dirname(this.#folder));
    const isSession = typeof of === 'string';
    const rightful = isSession ? sessionFolder(directory, of) : namespaceFolder(directory, of);
    if (keepsake === this.#kind && rightful === this.#folder) return true;
    this.#found(
      'wrong-folder',
      `The log in it belongs to the folder ${basename(rightful)}. Rename the folder if that is not there; else it is a copy.`,
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
      const log = new Log(this.#folder, { keepsake: 'session', version: 1, of }, view, 'sync');
      this.#entries = await log.read(() => view.holdings.items);
      await this.#mendDamage(damage, log);
    } else {
      const view = new MemoryView(report, undefined, undefined, false);
      const log = new Log(this.#folder, { keepsake: 'memory', version: 1, of }, view, 'sync');
      this.#entries = await log.read((readLine) => view.current(readLine).size);
      await this.#mendDamage(damage, log);
    }
  }

  async #mendDamage(damage: readonly { from: number; to: number }[], log: { mend(): Promise<boolean> }): Promise<void> {
    if (damage.length === 0) return;
    const mendable = this.#of !== undefined;
    const mended = mendable && this.#mend && (await log.mend());
    for (const { from, to } of damage) {
      const lines = from === to ? `Line ${from} of the log is` : `Lines ${from} to ${to} of the log are`;
      const kept = mended ? 'What was left of it was moved to a file beside the log.' : 'All others are read.';
      this.#found('damaged-lines', `${lines} damaged. ${kept}`, mendable, mended);
    }
  }

  #found(kind: Problem['kind'], message: string, mendable = false, mended = false): void {
    this.#problems.push({ kind, message, mendable, mended });
  }
}

async function checkRemovals(
  parent: string,
  kind: FolderReport['kind'],
  mend: boolean,
): Promise<FolderReport | undefined> {
  const folder = scratchFolder(parent);
  let discarded = listFolder(folder).filter((name) => name.startsWith(DISCARDED));
  if (discarded.length === 0) return undefined;
  await sleep(REMOVAL_MS);
  const left = new Set(listFolder(folder));
  discarded = discarded.filter((name) => left.has(name));
  if (discarded.length === 0) return undefined;
  const bytes = discarded.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
  if (mend) removeDiscarded(parent);
  const message = 'A removal was cut short, and what was removed is still on the disk.';
  return { folder, kind, entries: 0, bytes, problems: [{ kind: 'removal', message, mendable: true, mended: mend }] };
}

function make(path: string): boolean {
  writeFileSync(path, '', { flag: 'wx' });
  return true;
}

function sizeOf(folder: string): number {
  return listFolder(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
