import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Pauses } from '@keepsake/internal';
import { listFolder } from '../disk/disk.ts';
import { folderIn, groupOf, indexFolder, isGroupName } from '../disk/file-names.ts';
import type { reportOnce } from '../log/corruption.ts';
import { findIdentity } from '../log/log-header.ts';
import { type FolderNames, groupsIn, namesIn, readAgain, touchOf, UNREAD } from './folder-names.ts';
import {
  linesIn,
  linesWhere,
  readSaved,
  replaceSaved,
  type SavedLine,
  type SoughtLines,
  sealOf,
  textOf,
} from './saved-group.ts';

/** The folders of all sessions or all namespaces. */
export interface Folders {
  readonly parent: string;
  readonly report: ReturnType<typeof reportOnce>;
  /** Whether a folder with this name is that of this session or namespace. */
  readonly isOf: (name: string, of: unknown) => boolean;
}

/** A search costs about as much as reading this many lines. */
const SEARCH_COST = 30;
/** From this cost of all searches on, a process that reads all lines once is quicker. */
const MAX_COST = 1_000;
/** With more lines than this, it pays off to read all and to save what was read of their folders. */
const MAX_LINES = 100;

/**
 * The saved index of the folders of all sessions or all namespaces. It finds some, so that a process that lists a few need not
 * read of all, and adds what the files lack. A reader may lack the right or the space to write: then it finds that each time.
 */
export class FolderIndex {
  readonly #folders: Folders;
  /** The lines of groups that were complete when the group had been touched last. */
  readonly #complete = new Map<string, { readonly bytes: Buffer; readonly at: number }>();
  #groups = UNREAD;
  #cost = 0;

  constructor(folders: Folders) {
    this.#folders = folders;
  }

  /** Some lines. `undefined` if it pays off to read all lines now. */
  async find<Line extends SavedLine>(sought: SoughtLines): Promise<Line[] | undefined> {
    if (this.#cost >= MAX_COST) return undefined;
    const { lines } = await this.#search<Line>(sought);
    if (lines.length > MAX_LINES) this.#cost = MAX_COST;
    return lines.length > MAX_LINES ? undefined : lines;
  }

  /** The names of the folders of which nothing tells whose they are. */
  async unidentified(): Promise<string[]> {
    return (await this.#search()).unidentified;
  }

  /** The lines of all groups. There may be folders without a line, and lines without a folder. */
  async readAll<Line extends SavedLine>(): Promise<Line[]> {
    // From here on, the list knows them.
    this.#complete.clear();
    const lines: Line[][] = [];
    const pauses = new Pauses();
    for (const group of this.#allGroups()) {
      lines.push(linesIn<Line>(readSaved(this.#folders.parent, group)));
      await pauses.afterStep();
    }
    return lines.flat();
  }

  /** Saves the lines of all groups. They are only a cache, so it never fails. */
  async save(lines: Iterable<SavedLine>, there: FolderNames): Promise<void> {
    const pauses = new Pauses();
    const groups = Map.groupBy(lines, ([name]) => groupOf(name));
    for (const [group, { names, touch }] of there.groups) {
      const some = groups.get(group) ?? [];
      const isComplete = touch.isSettled && some.length === names.size && some.every(([name]) => names.has(name));
      attempt(() => replaceSaved(this.#folders.parent, group, some, isComplete ? touch.at : undefined));
      await pauses.afterStep();
    }
  }

  async #search<Line extends SavedLine>(sought?: SoughtLines): Promise<{ lines: Line[]; unidentified: string[] }> {
    const { parent, isOf } = this.#folders;
    const lines = new Map<string, Line>();
    const unidentified: string[][] = [];
    const pauses = new Pauses();
    for (const group of this.#allGroups()) {
      const { bytes, unidentified: names } = await this.#read(group);
      unidentified.push(names);
      const found = sought === undefined ? [] : linesWhere<Line>(bytes, sought);
      for (const line of found) if (isOf(line[0], line[1])) lines.set(line[0], line);
      await pauses.afterStep();
    }
    for (const name of lines.keys()) {
      if (lstatSync(folderIn(parent, name), { throwIfNoEntry: false }) === undefined) lines.delete(name);
    }
    this.#cost += SEARCH_COST + lines.size;
    return { lines: [...lines.values()], unidentified: unidentified.flat() };
  }

  /** The groups that are there. Removes the files of others. */
  #allGroups(): Iterable<string> {
    const { parent } = this.#folders;
    const before = this.#groups;
    this.#groups = readAgain(parent, before, () => groupsIn(parent));
    if (this.#groups === before) return before.names;
    const { names } = this.#groups;
    attempt(() => {
      for (const name of listFolder(indexFolder(parent))) {
        if (isGroupName(name) && !names.has(name)) rmSync(join(indexFolder(parent), name), { force: true });
      }
    });
    return names;
  }

  /** The lines of a group, and the names of its folders of which nothing tells whose they are. */
  async #read(group: string): Promise<{ bytes: Buffer; unidentified: string[] }> {
    const { parent } = this.#folders;
    // First: a seal of this time says that the lines before it name all folders that were there then.
    const { at, isSettled } = touchOf(join(parent, group));
    const complete = this.#complete.get(group);
    if (complete?.at === at) return { bytes: complete.bytes, unidentified: [] };
    const saved = readSaved(parent, group);
    if (sealOf(saved) === at) {
      this.#complete.set(group, { bytes: saved, at });
      return { bytes: saved, unidentified: [] };
    }
    const names = new Set(namesIn(parent, group));
    const savedLines = linesIn(saved);
    const linesThere = savedLines.filter(([name]) => names.delete(name));
    const { found, unidentified } = await this.#identify(names);
    const lines = [...linesThere, ...found];
    const isComplete = isSettled && unidentified.length === 0;
    const bytes = Buffer.from(textOf(lines));
    if (isComplete) this.#complete.set(group, { bytes, at });
    if (isComplete || found.length > 0 || linesThere.length < savedLines.length) {
      attempt(() => replaceSaved(parent, group, lines, isComplete ? at : undefined));
    }
    return { bytes, unidentified };
  }

  async #identify(names: Iterable<string>): Promise<{ found: SavedLine[]; unidentified: string[] }> {
    const { parent, report, isOf } = this.#folders;
    const found: SavedLine[] = [];
    const unidentified: string[] = [];
    const pauses = new Pauses();
    for (const name of names) {
      const folder = folderIn(parent, name);
      const { of } = findIdentity(folder, report(folder));
      if (of !== undefined && isOf(name, of)) found.push([name, of]);
      else unidentified.push(name);
      await pauses.afterStep();
    }
    return { found, unidentified };
  }
}

/** The files are a cache, so that nothing fails if they can't be written. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {}
}
