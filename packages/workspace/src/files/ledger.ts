import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { readObject } from '../generate/read-object.ts';
import { conflict } from './conflict.ts';
import { expectApart, isLayout, type Layout, NAMES, type Paths, SESSIONS_MARK } from './layout.ts';
import { hasEnded, type ProcessIdentity, THIS_PROCESS } from './process-identity.ts';
import type { Workspace, WorkspaceFile } from './workspace.ts';
import { isBelow } from './workspace-path.ts';

/*
 * One small file says who works on a memory, and what is just being changed. It is replaced only in the version that was
 * read, so all that is decided by it is decided once:
 *
 * - A change of several files is made by writing it there, with the versions that it goes out from. From that moment on
 *   it counts: whoever reads sees it, whether its files are in place yet or not, and whoever comes puts them in place.
 * - A lease is taken by writing one's name there, with a number that rises each time. One who was taken for dead finds
 *   another number there, and can change nothing more.
 */

/** A change of one file. */
export interface Change {
  /** From the root of the workspace. */
  readonly path: string;
  /** The version that it goes out from; `null` where there is no file; `undefined` for whichever. */
  readonly base: string | null | undefined;
  /** `null` removes the file. */
  readonly text: string | null;
}

interface Holder extends ProcessIdentity {
  readonly id: string;
}

interface Control {
  readonly layout: Layout;
  /** Rises with each lease. */
  readonly fence: number;
  readonly holder: Holder | null;
  /** Rises while a holder is alive. */
  readonly beat: number;
  /** How many changes there were. */
  readonly commits: number;
  /** The last of them, while it is not all in place. */
  readonly journal: readonly Change[];
}

/** The right to distil, which one has at a time. */
export interface Lease {
  readonly fence: number;
  /** Aborted when it is lost. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

const HEARTBEAT_MS = 2_000;
/** A holder that shows no sign of life for so long, by the clock of whoever waits, is taken for dead. */
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

  /** Makes the memory where it is not there. Throws `INVALID_ARGUMENT` where another layout shares some of its folders. */
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

  /** The marks of all memories that may share a folder with this one. */
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
   * The file as it counts now.
   *
   * @throws MemoryError `INVALID_ARGUMENT` where the memory is that of another layout, as all that reads or changes does.
   */
  async read(path: string): Promise<WorkspaceFile | undefined> {
    const journal = (await this.#readControl())?.control.journal ?? [];
    const file = await this.#workspace.read(path);
    const change = journal.find((each) => each.path === path);
    if (change === undefined || !isBase(change, file)) return file;
    return change.text === null ? undefined : { text: change.text, version: `pending ${change.base}` };
  }

  /** The paths of the files of a folder as they count now. */
  async list(folder: string): Promise<string[]> {
    const journal = (await this.#readControl())?.control.journal ?? [];
    const paths = new Set(await this.#workspace.list(folder));
    for (const { path, text } of journal) {
      if (text === null) paths.delete(path);
      else if (isBelow(path, folder)) paths.add(path);
    }
    return [...paths].filter((path) => path !== this.#path).sort();
  }

  /** All files of a folder as they were at one moment. */
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
   * Changes several files at once: all or none, for whoever reads by {@link Ledger.read}.
   *
   * @param plan - Says what to change, as things are then; it is asked again where somebody else is first.
   * @throws MemoryError `CONFLICT` where a fixed base is no more, or the lease has been taken over.
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

  /** A change whose file is in another version than it goes out from. */
  async #findStale(changes: readonly Change[]): Promise<Change | undefined> {
    for (const change of changes) if (!isBase(change, await this.#workspace.read(change.path))) return change;
    return undefined;
  }

  /** Waits until it is free, and while its holder is alive, for 10 minutes at most; then `TIMEOUT`. */
  async lease(signal?: AbortSignal): Promise<Lease> {
    const begun = performance.now();
    const own: Holder = { ...THIS_PROCESS, id: randomUUID() };
    let seen = { state: '', at: begun };
    for (;;) {
      if (signal?.aborted) throw new MemoryError('ABORTED', 'It was aborted while it waited for its turn.');
      const { control, version } = await this.#settle();
      const now = performance.now();
      const state = `${control.fence} ${control.beat}`;
      if (seen.state !== state) seen = { state, at: now };
      const { holder } = control;
      if (holder === null || hasEnded(holder) || now - seen.at > STALE_MS) {
        const taken = { ...control, fence: control.fence + 1, holder: own, beat: 0 };
        if (await this.#replace(taken, version)) return this.#hold(taken.fence, own.id);
      } else if (now - begun > PATIENCE_MS) {
        throw new MemoryError('TIMEOUT', 'Another process distils this memory for over 10 minutes. Try again later.');
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
        // One that can't be given back is taken over after a while.
        await change((control) => ({ ...control, holder: null })).catch(() => {});
      },
    };
  }

  /** Puts in place what somebody has changed and not finished, and gives the state after that. */
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

  /** What has been changed since is left as it is: somebody else has put it in place already, or edited it. */
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

  /** Whether it was still in that version. */
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

function isBase({ base }: Change, file: WorkspaceFile | undefined): boolean {
  return base === undefined || base === (file?.version ?? null);
}

function layoutIn(path: string, text: string): Layout {
  return readObject<{ readonly layout: Layout }>(path, text, ({ layout }) => isLayout(layout)).layout;
}

function isControl({ layout, fence, journal }: Record<string, unknown>): boolean {
  return isLayout(layout) && typeof fence === 'number' && Array.isArray(journal);
}

function stringify(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function lost(): MemoryError {
  return new MemoryError(
    'CONFLICT',
    'Another process has taken over this memory, since this one gave no sign of life.',
  );
}

function busy(): MemoryError {
  return new MemoryError('TIMEOUT', 'Others change this memory all the while. Try again.');
}
