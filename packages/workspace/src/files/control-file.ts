import { isMemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import type { ProcessIdentity } from '@keepsake/internal/node';
import { readObject } from '../generate/read-object.ts';
import { expectApart, isLayout, type Layout, NAMES, type Paths, SESSIONS_MARK } from './layout.ts';
import type { Workspace } from './workspace.ts';

/*
 * One small file holds the lease of a memory and the change in progress. It is replaced by compare-and-set, so each of its
 * decisions is made once:
 *
 * - A change of several files is committed by writing it there, with the versions it is based on. From then on, readers see
 *   it even before its files are in place, and any process completes it.
 * - A process acquires the lease by writing its name there, with a fencing number that rises each time. A holder that was
 *   presumed dead finds another number there and can't change anything.
 */

/** A change of one file. */
export interface Change {
  /** From the root of the workspace. */
  readonly path: string;
  /** The version it is based on; `null` for no file, `undefined` for any. */
  readonly base: string | null | undefined;
  /** `null` removes the file. */
  readonly text: string | null;
}

/** The process that has the lease. */
export interface Holder extends ProcessIdentity {
  readonly id: string;
}

/** The state of a memory. */
export interface Control {
  readonly layout: Layout;
  /** The fencing number: rises with each lease. */
  readonly fence: number;
  readonly holder: Holder | null;
  /** The heartbeat: rises while the holder is alive. */
  readonly beat: number;
  /** The number of changes so far. */
  readonly commits: number;
  /** The last change, until all its files are in place. */
  readonly journal: readonly Change[];
}

/** The state, and the version of its file. */
export interface FoundControl {
  readonly control: Control;
  readonly version: string;
}

/** The file with the state of a memory, and the marks that keep memories with other layouts out of its folders. */
export class ControlFile {
  readonly path: string;
  readonly #workspace: Workspace;
  readonly #paths: Paths;

  constructor(workspace: Workspace, paths: Paths) {
    this.path = paths.memory(NAMES.control);
    this.#workspace = workspace;
    this.#paths = paths;
  }

  /** Creates the memory if it does not exist. Throws `INVALID_ARGUMENT` if another layout shares some of its folders. */
  async open(): Promise<void> {
    const { layout } = this.#paths;
    for (const path of await this.#marks()) {
      const file = await this.#workspace.read(path);
      if (file !== undefined) expectApart(layout, layoutIn(path, file.text));
    }
    const control: Control = { layout, fence: 0, holder: null, beat: 0, commits: 0, journal: [] };
    for (const [path, value] of [
      [this.path, control],
      [this.#mark, { layout }],
    ] as const) {
      await this.#workspace.write(path, stringify(value), { ifVersion: null }).catch((error) => {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
      });
    }
    await this.#expectOwnSessions();
  }

  get #mark(): string {
    return `${this.#paths.layout.sessionsDir}/${SESSIONS_MARK}`;
  }

  async #expectOwnSessions(): Promise<void> {
    const file = await this.#workspace.read(this.#mark);
    if (file !== undefined) expectApart(this.#paths.layout, layoutIn(this.#mark, file.text));
  }

  /** The layouts of all memories that may share a folder with this one. */
  async #marks(): Promise<string[]> {
    const { sessionsDir, memoriesDir } = this.#paths.layout;
    const above = [sessionsDir, memoriesDir].flatMap((folder) => {
      const names = folder.split('/');
      return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/${NAMES.control}`);
    });
    const below = (await this.#workspace.list(memoriesDir)).concat(await this.#workspace.list(sessionsDir));
    return [...new Set([...above, ...below.filter((path) => path.endsWith(`/${NAMES.control}`))])];
  }

  /**
   * The state, or `undefined` if there is no memory yet.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if the memory has another layout, like everything that reads or changes it.
   */
  async read(): Promise<FoundControl | undefined> {
    const file = await this.#workspace.read(this.path);
    if (file === undefined) {
      await this.#expectOwnSessions();
      return undefined;
    }
    const control = readObject<Control>(this.path, file.text, isControl);
    expectApart(this.#paths.layout, control.layout);
    return { control, version: file.version };
  }

  /** Returns whether the file still had that version. */
  async replace(control: Control, version: string): Promise<boolean> {
    try {
      await this.#workspace.write(this.path, stringify(control), { ifVersion: version });
      return true;
    } catch (error) {
      if (isMemoryError(error, 'CONFLICT')) return false;
      throw error;
    }
  }
}

function layoutIn(path: string, text: string): Layout {
  return readObject<{ readonly layout: Layout }>(path, text, ({ layout }) => isLayout(layout)).layout;
}

function isControl({ layout, fence, holder, beat, commits, journal }: Record<string, unknown>): boolean {
  const areCounts = [fence, beat, commits].every(Number.isSafeInteger);
  const isHeld = holder === null || isHolder(holder);
  return isLayout(layout) && areCounts && isHeld && Array.isArray(journal) && journal.every(isChange);
}

function isHolder(value: unknown): value is Holder {
  return isObject(value) && Number.isSafeInteger(value.pid) && [value.host, value.start, value.id].every(isText);
}

function isChange(value: unknown): value is Change {
  if (!isObject(value)) return false;
  const { path, base, text } = value;
  return isText(path) && (base === undefined || base === null || isText(base)) && (text === null || isText(text));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function stringify(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
