import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionInfo } from '@keepsake/core';
import { hasSegment } from '@keepsake/core/adapter';
import { Pauses } from '@keepsake/internal';
import { listFolder, type WriteOptions } from '../disk/disk.ts';
import { hashIn, isFolderName, sessionsFolder } from '../disk/file-names.ts';
import { serially } from '../disk/in-turn.ts';
import type { reportOnce } from '../log/corruption.ts';
import { ChangeReader, isForgotten } from './changes.ts';
import { countUnidentified } from './count-unidentified.ts';
import { type KnownFolder, readFolder } from './known-folder.ts';
import { forgetSaved, readSavedList, saveList } from './saved-list.ts';

/** Which sessions to list. */
export interface Listing {
  /** Only sessions after this one. */
  readonly after: Position | undefined;
  readonly idPrefix: string;
  readonly segment: string | undefined;
  readonly count: number;
}

/** A place in the list. */
export type Position = Pick<SessionInfo, 'updatedAt' | 'sessionId'>;

/** If at least this many folders had to be read, the list is saved for the next process. */
const SAVE_FROM = 1_000;
/** The list is saved again when this part of it was read again. */
const UNSAVED_PART = 1 / 8;
/** From this many changes on, sorting all is quicker than moving each to its place. */
const MANY_CHANGES = 200;

/** The list of all sessions of a directory, kept in memory, and brought up to date before each use. */
export class SessionList {
  readonly #parent: string;
  readonly #options: WriteOptions;
  readonly #report: ReturnType<typeof reportOnce>;
  readonly #changes: ChangeReader;
  readonly #saveFrom: number;
  /** By name. */
  readonly #folders = new Map<string, KnownFolder>();
  /** The names of the folders with a session by the hash in them, which a copy of a folder may share. */
  readonly #names = new Map<string, string>();
  /** The names of the folders to read again. */
  readonly #unsettled = new Set<string>();
  /** Newest activity first. */
  #sorted: SessionInfo[] = [];
  #isLoaded = false;
  /** Whether all that was announced has been read. */
  #isComplete = false;
  #touched: number | undefined;
  /** How many folders were read since the list was saved. */
  #unsaved = 0;

  constructor(
    directory: string,
    options: WriteOptions,
    report: ReturnType<typeof reportOnce>,
    saveFrom: number = SAVE_FROM,
  ) {
    this.#saveFrom = saveFrom;
    this.#parent = sessionsFolder(directory);
    this.#options = options;
    this.#report = report;
    this.#changes = new ChangeReader(this.#parent, options.fileMode);
  }

  /** The next sessions, newest activity first, with times as in the logs. */
  async read({ after, idPrefix, segment, count }: Listing): Promise<SessionInfo[]> {
    await serially(join(this.#parent, '.index'), () => this.#update());
    const sessions: SessionInfo[] = [];
    const sorted = this.#sorted;
    for (let at = after === undefined ? 0 : this.#placeAfter(after); at < sorted.length; at++) {
      const session = sorted[at] as SessionInfo;
      if (!session.sessionId.startsWith(idPrefix) || !hasSegment(session.sessionId, segment)) continue;
      sessions.push(session);
      if (sessions.length === count) break;
    }
    return sessions;
  }

  /** See `SessionStore.unidentified`. Reads the folders that were not there when the list was read. */
  unidentified(): Promise<number> {
    return countUnidentified(this.#parent, (name) => this.#folders.get(name)?.session !== undefined);
  }

  async #update(): Promise<void> {
    // What changes from here on is announced after what this reads.
    const named = this.#changes.read();
    const touched = lstatSync(this.#parent, { throwIfNoEntry: false })?.mtimeMs;
    const isComplete = this.#isComplete;
    this.#isComplete = false;
    const entries = [...(named ?? []), ...this.#unsettled].filter(isFolderName);
    // The name of a session that was removed, and created again before this list.
    const isNameless = entries.some((entry) => isForgotten(entry) && !this.#names.has(hashIn(entry)));
    if (named === undefined || isNameless || !isComplete) await this.#compareAll();
    else {
      const names = entries.map((entry) => this.#names.get(hashIn(entry)) ?? entry);
      const isExplained = await this.#readAgain(new Set(names));
      // Otherwise somebody moved a folder here or away by hand.
      if (touched !== this.#touched && !isExplained) await this.#compareAll();
    }
    this.#touched = touched;
    this.#isComplete = true;
    if (this.#unsaved >= Math.max(this.#saveFrom, this.#folders.size * UNSAVED_PART)) await this.#save();
  }

  /** Reads all folders that were touched since they were read. */
  async #compareAll(): Promise<void> {
    if (!this.#isLoaded) {
      for (const folder of await readSavedList(this.#parent)) this.#know(folder.name, folder);
    }
    const names = listFolder(this.#parent).filter(isFolderName);
    const folderNames = new Set(names);
    const gone = [...this.#folders.keys()].filter((name) => !folderNames.has(name));
    for (const name of gone) this.#know(name, undefined);
    // A session that was removed must not stay in the file.
    if (gone.length > 0 && !this.#isLoaded) this.#unsaved = Infinity;
    const pauses = new Pauses();
    for (const name of names) {
      const stamp = this.#folders.get(name)?.stamp ?? 0;
      const isSame = stamp !== 0 && lstatSync(join(this.#parent, name), { throwIfNoEntry: false })?.mtimeMs === stamp;
      if (!isSame) await this.#readOne(name);
      await pauses.afterStep();
    }
    this.#isLoaded = true;
    this.#sortAll();
  }

  /** Reads these folders again. Returns whether one of them is new or gone. */
  async #readAgain(names: ReadonlySet<string>): Promise<boolean> {
    const pauses = new Pauses();
    const isMany = names.size >= MANY_CHANGES;
    let isExplained = false;
    for (const name of names) {
      const before = this.#folders.get(name);
      const after = await this.#readOne(name);
      isExplained ||= (before === undefined) !== (after === undefined);
      if (!isMany) this.#move(before?.session, after?.session);
      await pauses.afterStep();
    }
    if (isMany) this.#sortAll();
    return isExplained;
  }

  async #readOne(name: string): Promise<KnownFolder | undefined> {
    const folder = await readFolder(join(this.#parent, name), this.#options, this.#report);
    this.#know(name, folder);
    this.#unsaved++;
    return folder;
  }

  #know(name: string, folder: KnownFolder | undefined): void {
    const hash = hashIn(name);
    if (folder === undefined) this.#folders.delete(name);
    else this.#folders.set(name, folder);
    if (folder?.session !== undefined) this.#names.set(hash, name);
    else if (this.#names.get(hash) === name) this.#names.delete(hash);
    if (folder?.isSettled === false) this.#unsettled.add(name);
    else this.#unsettled.delete(name);
  }

  #sortAll(): void {
    this.#sorted = [...this.#folders.values()].flatMap(({ session }) => session ?? []).sort(newestFirst);
  }

  #move(before: SessionInfo | undefined, after: SessionInfo | undefined): void {
    if (before !== undefined) this.#sorted.splice(this.#placeAfter(before) - 1, 1);
    if (after !== undefined) this.#sorted.splice(this.#placeAfter(after), 0, after);
  }

  /** The index of the first session after a place in the list. */
  #placeAfter(position: Position): number {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (newestFirst(this.#sorted[middle] as SessionInfo, position) <= 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Only a cache, so it never fails. */
  async #save(): Promise<void> {
    this.#unsaved = 0;
    await this.#saveList().catch(() => {});
  }

  async #saveList(): Promise<void> {
    const names = [...this.#folders.keys()];
    await saveList(this.#parent, this.#folders.values());
    // What another process removed meanwhile, it removed from the list before this one. What it removes from now on, it
    // removes from this one.
    const there = new Set(listFolder(this.#parent));
    for (const name of names) if (!there.has(name)) forgetSaved(this.#parent, name);
  }
}

/** Timestamps of one process never tie, those of several can: then the id breaks the tie. */
function newestFirst(a: Position, b: Position): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.sessionId < b.sessionId ? 1 : a.sessionId > b.sessionId ? -1 : 0;
}
