import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from '../disk/disk.ts';
import { groupOf, isFolderName, isGroupName } from '../disk/file-names.ts';
import { isPast } from './last-touch.ts';

/** What came and went between two readings, by the name of the folder. */
export interface Movements {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** What stayed in the groups that were touched. It may have been replaced. */
  readonly stayed: readonly string[];
}

/** The names in a folder, as they were when it had been touched last. */
export interface ReadNames {
  readonly names: ReadonlySet<string>;
  readonly touch: Touch;
}

/** When a folder was touched last. */
export interface Touch {
  /** In milliseconds since 1970; 0 if there is no such folder. */
  readonly at: number;
  /** Whether that was long enough ago, so that the time changes when the folder is touched again. */
  readonly isSettled: boolean;
}

/** Before the first reading. */
export const UNREAD: ReadNames = { names: new Set(), touch: { at: 0, isSettled: false } };

/**
 * The names of all sessions' or all namespaces' folders, kept in memory. Only the groups that were touched are read again, whoever
 * touched them.
 */
export class FolderNames {
  readonly #parent: string;
  #groups = UNREAD;
  readonly #read = new Map<string, ReadNames>();

  constructor(parent: string) {
    this.#parent = parent;
  }

  /** The groups as they were read last. */
  get groups(): Iterable<readonly [group: string, read: ReadNames]> {
    return this.#read;
  }

  /** Reads what was touched since the last call. An error changes nothing. */
  update(): Movements {
    const groups = readAgain(this.#parent, this.#groups, () => groupsIn(this.#parent));
    const read = new Map<string, ReadNames>();
    for (const group of new Set([...groups.names, ...this.#read.keys()])) {
      const before = this.#read.get(group) ?? UNREAD;
      const list = () => (groups.names.has(group) ? namesIn(this.#parent, group, before.names) : []);
      const after = readAgain(join(this.#parent, group), before, list);
      if (after !== before) read.set(group, after);
    }
    const [added, gone, stayed]: [string[], string[], string[]] = [[], [], []];
    for (const [group, { names, touch }] of read) {
      const before = this.#read.get(group) ?? UNREAD;
      for (const name of names) if (!before.names.has(name)) added.push(name);
      for (const name of before.names) if (!names.has(name)) gone.push(name);
      // There are many. If somebody replaces one at the very time of the last touch, it is named once the group is settled.
      const isTouched = touch.isSettled || touch.at !== before.touch.at;
      if (isTouched) for (const name of names) if (before.names.has(name)) stayed.push(name);
    }
    this.#groups = groups;
    for (const [group, names] of read) this.#read.set(group, names);
    return { added, gone, stayed };
  }
}

/** The names in a folder, read again with `list` if it was touched since. */
export function readAgain(folder: string, before: ReadNames, list: () => string[]): ReadNames {
  const touch = touchOf(folder);
  if (before.touch.isSettled && touch.at === before.touch.at) return before;
  return { names: new Set(list()), touch };
}

/** When something came to a folder or went, by its `ctime`: programs that restore a backup can set the other times back. */
export function touchOf(folder: string): Touch {
  const now = Date.now();
  const at = lstatSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return { at, isSettled: at !== 0 && isPast(at, now) };
}

/** The names of the groups in a folder of all sessions or namespaces. People and systems can put files beside them. */
export function groupsIn(parent: string): string[] {
  const isFile = (name: string) => lstatSync(join(parent, name), { throwIfNoEntry: false })?.isFile() === true;
  return listFolder(parent).filter((name) => isGroupName(name) && !isFile(name));
}

/** The names of the sessions' or namespaces' folders of a group. People can put other folders beside them, such as copies. */
export function namesIn(parent: string, group: string, known: ReadonlySet<string> = UNREAD.names): string[] {
  const isOne = (name: string) => known.has(name) || (isFolderName(name) && groupOf(name) === group);
  return listFolder(join(parent, group)).filter(isOne);
}

/** The names of all sessions' or namespaces' folders. */
export function allNames(parent: string): string[] {
  return groupsIn(parent).flatMap((group) => namesIn(parent, group));
}

/**
 * The paths of all folders in `parent` that have the name of a session's or namespace's, also of those in another group or beside
 * the groups, for who checks or copies a directory. Calls `onError` for a group that can't be read.
 */
export function allPaths(parent: string, onError: (group: string, error: unknown) => void): string[] {
  const beside = listFolder(parent).filter(isFolderName);
  const groups = listFolder(parent).filter(isGroupName);
  const grouped = groups.flatMap((group) => {
    try {
      return listFolder(join(parent, group)).flatMap((name) => (isFolderName(name) ? join(group, name) : []));
    } catch (error) {
      onError(group, error);
      return [];
    }
  });
  return [...beside, ...grouped].sort().map((path) => join(parent, path));
}
