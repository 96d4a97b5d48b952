import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { hasEnded, type ProcessIdentity, THIS_PROCESS } from '@keepsake/internal/node';
import { readObject } from '../generate/read-object.ts';
import { conflict } from './conflict.ts';
import { expectApart, isLayout, type Layout, NAMES, type Paths, SESSIONS_MARK } from './layout.ts';
import type { Workspace, WorkspaceFile } from './workspace.ts';
import { isBelow } from './workspace-path.ts';

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

interface Holder extends ProcessIdentity {
  readonly id: string;
}

interface Control {
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

/** The exclusive right to distil. */
export interface Lease {
  readonly fence: number;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

const HEARTBEAT_MS = 2_000;
/** A holder without a heartbeat for this long, by the waiter's clock, is presumed dead. */
const STALE_MS = 15_000;
const PATIENCE_MS = 10 * 60_000;
const MAX_TRIES = 1_000;

export class Ledger {
  readonly #workspace: Workspace;
  readonly #paths: Paths;
  readonly #path: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(workspace: Workspace, paths: Paths) {
    this.#workspace = workspace;
    this.#paths = paths;
    this.#path = paths.memory(NAMES.control);
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
      [this.#path, control],
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
   * The current content of the file, including a committed change.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if the memory has another layout, like everything that reads or changes it.
   */
  async read(path: string): Promise<WorkspaceFile | undefined> {
    const journal = (await this.#readControl())?.control.journal ?? [];
    return current(path, await this.#workspace.read(path), journal);
  }

  /** The current contents of the files that exist, like {@link Ledger.read}. */
  async readAll(paths: readonly string[]): Promise<Map<string, WorkspaceFile>> {
    const journal = (await this.#readControl())?.control.journal ?? [];
    const files = new Map<string, WorkspaceFile>();
    for (const path of paths) {
      const file = current(path, await this.#workspace.read(path), journal);
      if (file !== undefined) files.set(path, file);
    }
    return files;
  }

  /** The current paths of the files in a folder. */
  async list(folder: string): Promise<string[]> {
    const journal = (await this.#readControl())?.control.journal ?? [];
    const paths = new Set(await this.#workspace.list(folder));
    for (const { path, text } of journal) {
      if (text === null) paths.delete(path);
      else if (isBelow(path, folder)) paths.add(path);
    }
    return [...paths].filter((path) => path !== this.#path).sort();
  }

  /** A consistent snapshot of all files of a folder. */
  async snapshot(folder: string): Promise<Map<string, WorkspaceFile>> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const { commits } = (await this.#settle()).control;
      const files = new Map<string, WorkspaceFile>();
      for (const path of await this.#workspace.list(folder)) {
        const file = path === this.#path ? undefined : await this.#workspace.read(path);
        if (file !== undefined) files.set(path, file);
      }
      if ((await this.#readControl())?.control.commits === commits) return files;
    }
    throw busy();
  }

  /**
   * Changes several files atomically, as seen through {@link Ledger.read}.
   *
   * @param plan - Returns the changes for the current state. Called again if another process was first.
   * @throws MemoryError `CONFLICT` if a fixed base version has changed or the lease was taken over.
   */
  async commit(plan: () => Promise<readonly Change[]>, lease?: Lease): Promise<void> {
    await this.#serially(async () => {
      for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
        const { control, version } = await this.#settle();
        if (lease !== undefined && control.fence !== lease.fence) throw lost();
        const changes = await plan();
        if (changes.length === 0) return;
        const stale = await this.#findStale(changes);
        if (stale !== undefined) {
          if ((await this.#readControl())?.version !== version) continue;
          throw conflict(stale.path);
        }
        if (await this.#replace({ ...control, commits: control.commits + 1, journal: changes }, version)) {
          await this.#settle();
          return;
        }
      }
      throw busy();
    });
  }

  /** A change whose file no longer has its base version. */
  async #findStale(changes: readonly Change[]): Promise<Change | undefined> {
    for (const change of changes) if (!isBase(change, await this.#workspace.read(change.path))) return change;
    return undefined;
  }

  /** Waits until the lease is free, at most 10 minutes while its holder is alive; then throws `TIMEOUT`. */
  async lease(signal?: AbortSignal): Promise<Lease> {
    const begun = performance.now();
    const own: Holder = { ...THIS_PROCESS, id: randomUUID() };
    let seen = { state: '', at: begun };
    for (;;) {
      if (signal?.aborted) throw new MemoryError('ABORTED', 'Aborted while waiting for the lease.');
      const { control, version } = await this.#settle();
      const now = performance.now();
      const state = `${control.fence} ${control.beat}`;
      if (seen.state !== state) seen = { state, at: now };
      const { holder } = control;
      if (holder === null || hasEnded(holder) || now - seen.at > STALE_MS) {
        const taken = { ...control, fence: control.fence + 1, holder: own, beat: 0 };
        if (await this.#replace(taken, version)) return this.#hold(taken.fence, own.id);
      } else if (now - begun > PATIENCE_MS) {
        throw new MemoryError(
          'TIMEOUT',
          'Another process has been distilling this memory for over 10 minutes. Try again later.',
        );
      } else {
        await sleep(50 + 100 * Math.random());
      }
    }
  }

  #hold(fence: number, id: string): Lease {
    const controller = new AbortController();
    const change = (next: (control: Control) => Control) =>
      this.#serially(async () => {
        for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
          const { control, version } = await this.#settle();
          if (control.fence !== fence || control.holder?.id !== id) throw lost();
          if (await this.#replace(next(control), version)) return;
        }
        throw busy();
      });
    const heart = setInterval(() => {
      change((control) => ({ ...control, beat: control.beat + 1 })).catch((error) => {
        if (isMemoryError(error, 'CONFLICT')) controller.abort(error);
      });
    }, HEARTBEAT_MS);
    heart.unref();
    return {
      fence,
      signal: controller.signal,
      async release() {
        clearInterval(heart);
        // A lease that can't be released is taken over after a while.
        await change((control) => ({ ...control, holder: null })).catch(() => {});
      },
    };
  }

  /** Completes a committed change of any process. Returns the state after it. */
  async #settle(): Promise<{ readonly control: Control; readonly version: string }> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const found = await this.#readControl();
      if (found === undefined) {
        await this.open();
        continue;
      }
      if (found.control.journal.length === 0) return found;
      for (const change of found.control.journal) await this.#put(change);
      await this.#replace({ ...found.control, journal: [] }, found.version);
    }
    throw busy();
  }

  /** Skips files that have changed since: another process has completed or edited them. */
  async #put({ path, base, text }: Change): Promise<void> {
    try {
      if (text === null) await this.#workspace.delete(path, { ifVersion: base ?? undefined });
      else await this.#workspace.write(path, text, { ifVersion: base });
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT')) throw error;
    }
  }

  async #readControl(): Promise<{ readonly control: Control; readonly version: string } | undefined> {
    const file = await this.#workspace.read(this.#path);
    if (file === undefined) {
      await this.#expectOwnSessions();
      return undefined;
    }
    const control = readObject<Control>(this.#path, file.text, isControl);
    expectApart(this.#paths.layout, control.layout);
    return { control, version: file.version };
  }

  /** Returns whether the file still had that version. */
  async #replace(control: Control, version: string): Promise<boolean> {
    try {
      await this.#workspace.write(this.#path, stringify(control), { ifVersion: version });
      return true;
    } catch (error) {
      if (isMemoryError(error, 'CONFLICT')) return false;
      throw error;
    }
  }

  #serially<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** A file as a committed change leaves it. */
function current(path: string, file: WorkspaceFile | undefined, journal: readonly Change[]): WorkspaceFile | undefined {
  const change = journal.find((each) => each.path === path);
  if (change === undefined || !isBase(change, file)) return file;
  return change.text === null ? undefined : { text: change.text, version: `pending ${change.base}` };
}

function isBase({ base }: Change, file: WorkspaceFile | undefined): boolean {
  return base === undefined || base === (file?.version ?? null);
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

function lost(): MemoryError {
  return new MemoryError('CONFLICT', 'Another process took over this memory, because this one had no heartbeat.');
}

function busy(): MemoryError {
  return new MemoryError('TIMEOUT', 'This memory keeps changing. Try again.');
}
