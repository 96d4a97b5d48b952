import { lstatSync } from 'node:fs';
import { formatNamespace, type SessionInfo } from '@keepsake/core';
import { Pauses } from '@keepsake/internal';
import type { WriteOptions } from '../disk/disk.ts';
import { folderIn, hashIn, indexFolder, isFolderName, nameOf, sessionsFolder } from '../disk/file-names.ts';
import { serially } from '../disk/in-turn.ts';
import type { reportOnce } from '../log/corruption.ts';
import { ChangeReader } from './changes.ts';
import { countUnidentified } from './count-unidentified.ts';
import { FolderIndex } from './folder-index.ts';
import { allNames, FolderNames } from './folder-names.ts';
import { type KnownFolder, readFolder } from './known-folder.ts';
import type { SavedLine } from './saved-group.ts';

/** Which sessions to list. */
export interface Listing {
  /** Only sessions after this one. */
  readonly after: Position | undefined;
  readonly idPrefix: string;
  readonly segment: string | undefined;
  readonly count: number;
}

/** A place in the list. */
type Position = Pick<SessionInfo, 'updatedAt' | 'sessionId'>;

type SavedSession = SavedLine<readonly [stamp: number, itemCount: number, createdAt: string, updatedAt: string]>;

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
  readonly #folderNames: FolderNames;
  readonly #index: FolderIndex;
  readonly #saveFrom: number;
  /** By name. */
  readonly #folders = new Map<string, KnownFolder>();
  /** The names of the folders with a session by the hash in them, which a copy of a folder may share. */
  readonly #names = new Map<string, string>();
  /** The names of the folders to read again. */
  readonly #unsettled = new Set<string>();
  /** The names of the folders that hold no session. */
  readonly #empty = new Set<string>();
  /** Those with a segment in their id, newest activity first; those of `undefined` are all. */
  #sorted = new Map<string | undefined, SessionInfo[]>();
  #isLoaded = false;
  /** Whether all that was announced has been read. */
  #isComplete = false;
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
    this.#folderNames = new FolderNames(this.#parent);
    this.#index = new FolderIndex({ parent: this.#parent, report, isOf });
  }

  /** The next sessions, newest activity first, with times as in the logs. */
  async read({ after, idPrefix, segment, count }: Listing): Promise<SessionInfo[]> {
    const key = segment === undefined ? undefined : formatNamespace([segment]);
    const sorted = await this.#inTurn(async () => {
      const found = await this.#find(key, idPrefix);
      if (found !== undefined) return found;
      await this.#update();
      return this.#sorted.get(key) ?? [];
    });
    const sessions: SessionInfo[] = [];
    for (let at = after === undefined ? 0 : placeAfter(sorted, after); at < sorted.length; at++) {
      const session = sorted[at] as SessionInfo;
      if (!session.sessionId.startsWith(idPrefix)) continue;
      sessions.push(session);
      if (sessions.length === count) break;
    }
    return sessions;
  }

  /** See `SessionStore.unidentified`. Reads the folders that hold no session, and those that came since the list was read. */
  unidentified(): Promise<number> {
    return this.#inTurn(async () => {
      if (!this.#isLoaded) return countUnidentified(this.#parent, await this.#index.unidentified());
      await this.#follow();
      return countUnidentified(this.#parent, this.#unread());
    });
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    return serially(indexFolder(this.#parent), task);
  }

  /** The sessions with a segment or prefix, found by the saved index; `undefined` if all have been read, or it pays off to do so. */
  async #find(segment: string | undefined, idPrefix: string): Promise<SessionInfo[] | undefined> {
    // The whole segments of the prefix.
    const text = segment ?? idPrefix.slice(0, Math.max(0, idPrefix.lastIndexOf(':')));
    if (this.#isLoaded || text === '') return undefined;
    const lines = await this.#index.find<SavedSession>({ text: JSON.stringify(text).slice(1, -1) });
    const sessions: SessionInfo[] = [];
    const pauses = new Pauses();
    for (const saved of lines?.map(decoded) ?? []) {
      const { session } = this.#isUntouched(saved) ? saved : ((await this.#readFolder(saved.name, saved)) ?? {});
      if (session !== undefined && segmentsOf(session).has(segment)) sessions.push(session);
      await pauses.afterStep();
    }
    return lines && sessions.sort(newestFirst);
  }

  /** Learns which folders came, went or were replaced, to read them. */
  async #follow(): Promise<void> {
    const { added, gone, stayed } = this.#folderNames.update();
    for (const name of [...added, ...gone]) this.#unsettled.add(name);
    const isComplete = this.#isComplete;
    this.#isComplete = false;
    const pauses = new Pauses();
    for (const name of stayed) {
      if (!this.#isSame(name)) this.#unsettled.add(name);
      await pauses.afterStep();
    }
    if (!this.#isLoaded) await this.#load();
    this.#isComplete = isComplete;
  }

  async #load(): Promise<void> {
    for (const folder of (await this.#index.readAll<SavedSession>()).map(decoded)) {
      if (this.#unsettled.has(folder.name)) this.#know(folder.name, folder);
      // A session that was removed must not stay in the file.
      else this.#unsaved = Infinity;
    }
    this.#isLoaded = true;
  }

  /** The names to read at each list. Somebody may mend a folder of which nothing tells its session. */
  #unread(): Set<string> {
    return new Set([...this.#empty, ...this.#unsettled]);
  }

  #isSame(name: string): boolean {
    const known = this.#folders.get(name);
    return known !== undefined && this.#isUntouched(known);
  }

  /** Whether a folder was not touched since it was read. */
  #isUntouched({ name, stamp }: KnownFolder): boolean {
    return stamp !== 0 && lstatSync(folderIn(this.#parent, name), { throwIfNoEntry: false })?.mtimeMs === stamp;
  }

  async #update(): Promise<void> {
    const isComplete = this.#isComplete;
    this.#isComplete = false;
    // What changes from here on is announced after what this reads.
    const named = this.#changes.read();
    await this.#follow();
    if (named === undefined || !isComplete) await this.#compareAll();
    else {
      const entries = [...named].filter(isFolderName);
      // Only the hash is left of a name that was forgotten, and the session may have been created again.
      const known = entries.flatMap((entry) => this.#names.get(hashIn(entry)) ?? []);
      await this.#readAgain(new Set([...entries, ...known, ...this.#unread()]));
    }
    this.#isComplete = true;
    if (this.#unsaved >= Math.max(this.#saveFrom, this.#folders.size * UNSAVED_PART)) await this.#save();
  }

  /** Reads all folders that were touched since they were read. */
  async #compareAll(): Promise<void> {
    const names = allNames(this.#parent);
    const folderNames = new Set(names);
    const gone = [...this.#folders.keys()].filter((name) => !folderNames.has(name));
    for (const name of gone) this.#know(name, undefined);
    const pauses = new Pauses();
    for (const name of names) {
      if (!this.#isSame(name)) await this.#readOne(name);
      await pauses.afterStep();
    }
    this.#sortAll();
  }

  async #readAgain(names: ReadonlySet<string>): Promise<void> {
    const pauses = new Pauses();
    const isMany = names.size >= MANY_CHANGES;
    for (const name of names) {
      const before = this.#folders.get(name);
      const after = await this.#readOne(name);
      if (!isMany) this.#move(before?.session, after?.session);
      await pauses.afterStep();
    }
    if (isMany) this.#sortAll();
  }

  async #readOne(name: string): Promise<KnownFolder | undefined> {
    const folder = await this.#readFolder(name, this.#folders.get(name));
    this.#know(name, folder);
    if (folder === undefined || folder.session !== undefined) this.#unsaved++;
    return folder;
  }

  /** The name of a folder tells whether it is that of a known id, so what is damaged since is found all the same. */
  #readFolder(name: string, known: KnownFolder | undefined): Promise<KnownFolder | undefined> {
    const folder = folderIn(this.#parent, name);
    return readFolder(folder, this.#options, this.#report, known?.session?.sessionId);
  }

  #know(name: string, folder: KnownFolder | undefined): void {
    const hash = hashIn(name);
    if (folder === undefined) this.#folders.delete(name);
    else this.#folders.set(name, folder);
    if (folder?.session !== undefined) this.#names.set(hash, name);
    else if (this.#names.get(hash) === name) this.#names.delete(hash);
    if (folder?.isSettled === false) this.#unsettled.add(name);
    else this.#unsettled.delete(name);
    if (folder !== undefined && folder.session === undefined) this.#empty.add(name);
    else this.#empty.delete(name);
  }

  #sortAll(): void {
    this.#sorted = new Map();
    const sessions = [...this.#folders.values()].flatMap(({ session }) => session ?? []);
    for (const session of sessions.sort(newestFirst)) {
      for (const segment of segmentsOf(session)) {
        const sorted = this.#sorted.get(segment);
        if (sorted === undefined) this.#sorted.set(segment, [session]);
        else sorted.push(session);
      }
    }
  }

  #move(before: SessionInfo | undefined, after: SessionInfo | undefined): void {
    for (const segment of before === undefined ? [] : segmentsOf(before)) {
      const sorted = this.#sorted.get(segment) ?? [];
      sorted.splice(placeAfter(sorted, before as SessionInfo) - 1, 1);
      if (sorted.length === 0) this.#sorted.delete(segment);
    }
    for (const segment of after === undefined ? [] : segmentsOf(after)) {
      const sorted = this.#sorted.get(segment);
      if (sorted === undefined) this.#sorted.set(segment, [after as SessionInfo]);
      else sorted.splice(placeAfter(sorted, after as SessionInfo), 0, after as SessionInfo);
    }
  }

  /** Only a cache, so it never fails. */
  async #save(): Promise<void> {
    this.#unsaved = 0;
    await this.#index.save(encoded(this.#folders.values()), this.#folderNames);
  }
}

/** A copy of a folder is not a second session. */
function isOf(name: string, of: unknown): of is string {
  return typeof of === 'string' && nameOf(of) === name;
}

function* encoded(folders: Iterable<KnownFolder>): Iterable<SavedSession> {
  for (const { name, stamp, session } of folders) {
    if (session === undefined) continue;
    yield [name, session.sessionId, stamp, session.itemCount, session.createdAt, session.updatedAt];
  }
}

function decoded([name, of, stamp = 0, itemCount = 0, createdAt = '', updatedAt = '']: SavedSession): KnownFolder {
  return { name, stamp, isSettled: true, session: { sessionId: of as string, itemCount, createdAt, updatedAt } };
}

/** Under what a session is listed: the segments of its id, each once, and `undefined`. */
function segmentsOf({ sessionId }: SessionInfo): Set<string | undefined> {
  return new Set([undefined, ...sessionId.split(':')]);
}

/** The index of the first session after a place in the list. */
function placeAfter(sorted: readonly SessionInfo[], position: Position): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (newestFirst(sorted[middle] as SessionInfo, position) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Timestamps of one process never tie, those of several can: then the id breaks the tie. */
function newestFirst(a: Position, b: Position): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.sessionId < b.sessionId ? 1 : a.sessionId > b.sessionId ? -1 : 0;
}
