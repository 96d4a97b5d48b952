import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isMissing } from '@keepsake/internal/node';
import { APPEND, openFile, READ, readBytes, refuseLink, UPDATE } from '../disk/disk.ts';
import { hashIn, indexFolder, parentOf, temporaryName } from '../disk/file-names.ts';

/*
 * The changes file names the sessions that have changed, so that a process that lists sessions again reads only those. The
 * first process that lists twice creates it. The holder of a session's lock adds its name before the log changes: a reader
 * that finds the name and then the lock free knows that the change is complete.
 *
 * The file is only a hint between processes that run. If it is missing or another one, the reader compares all folders with
 * what it knows. So anybody may delete it at any time.
 *
 * It begins with a random line. Each entry is a line of its own, with an empty one before it: the name of a folder, or only
 * the hash in it if the session is being removed, because the name tells a part of the id.
 */

/** The file is deleted when it is larger than this. */
const MAX_BYTES = 1024 * 1024;
const HEAD_BYTES = 33;
const BLANK = '-';

function changesPath(parent: string): string {
  return join(indexFolder(parent), 'changes');
}

/** Announces a change of a session. The lock of its folder must be held, and its log not yet changed. */
export function announceChange(folder: string, isRemoval: boolean): void {
  const parent = parentOf(folder);
  refuseLink(indexFolder(parent));
  const path = changesPath(parent);
  const name = basename(folder);
  let file: number | undefined;
  try {
    // Most directories have none, and an exception costs more than this.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    file = openFile(path, APPEND);
    const entry = `\n${isRemoval ? hashIn(name) : name}\n`;
    if (fstatSync(file).size > MAX_BYTES || writeSync(file, entry) < entry.length) rmSync(path, { force: true });
  } catch {
    // Without the file, readers compare all folders. A full disk does not prevent that.
    removeSaved(path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Removes what is in the place of a file of the index, if anything. */
export function removeSaved(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Whether a file does not exist, also because a file is in the place of its folder. */
function isAbsent(error: unknown): boolean {
  return isMissing(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR';
}

/** Reads the changes file. */
export class ChangeReader {
  readonly #parent: string;
  readonly #fileMode: number;
  #head: Buffer | undefined;
  #position = 0;
  #isFirst = true;

  constructor(parent: string, fileMode: number) {
    this.#parent = parent;
    this.#fileMode = fileMode;
  }

  /**
   * The folders that may have changed since the last call, by name or by hash. `undefined` if any may have: then the next call
   * returns those that have changed since this one.
   */
  read(): Set<string> | undefined {
    refuseLink(this.#parent);
    refuseLink(indexFolder(this.#parent));
    const file = this.#open();
    if (file === undefined) {
      this.#head = undefined;
      return undefined;
    }
    try {
      const head = readBytes(file, 0, HEAD_BYTES);
      const { size } = fstatSync(file);
      if (this.#head === undefined || !head.equals(this.#head) || size < this.#position) {
        this.#head = head;
        this.#position = size;
        return undefined;
      }
      const bytes = readBytes(file, this.#position, size - this.#position);
      const end = bytes.lastIndexOf('\n') + 1;
      this.#position += end;
      return new Set(bytes.toString('latin1', 0, end).split('\n'));
    } finally {
      closeSync(file);
    }
  }

  #open(): number | undefined {
    try {
      return openFile(changesPath(this.#parent), READ);
    } catch (error) {
      if (!isMissing(error)) return undefined;
    }
    // Many processes list once, and need not write for that.
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst) return undefined;
    // A reader may lack the right or the space to create it. Then it compares all folders each time.
    try {
      this.#create();
      return openFile(changesPath(this.#parent), READ);
    } catch {
      return undefined;
    }
  }

  #create(): void {
    makeIndexFolder(this.#parent);
    const temporary = join(indexFolder(this.#parent), temporaryName());
    try {
      writeFileSync(temporary, `${randomBytes(16).toString('hex')}\n`, { flag: 'wx', mode: this.#fileMode });
      renameSync(temporary, changesPath(this.#parent));
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

/** Makes the folder of the index. Fails without that of all sessions or namespaces, which a reader does not create. */
export function makeIndexFolder(parent: string): void {
  const folder = indexFolder(parent);
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(folder, { recursive: true, mode: statSync(parent).mode & 0o777 });
}

/** Overwrites the readable part of a folder's name in the changes file. */
export function forgetChanges(parent: string, name: string): void {
  const readable = name.slice(0, -hashIn(name).length);
  let file: number;
  try {
    file = openFile(changesPath(parent), UPDATE);
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  try {
    const bytes = readBytes(file, 0, fstatSync(file).size);
    for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
      if (readable !== '') writeSync(file, BLANK.repeat(readable.length), at);
    }
  } finally {
    closeSync(file);
  }
}
