import { conflict } from './conflict.ts';
import { type Change, ControlFile } from './control-file.ts';
import { busy, current, isBase, Journal, MAX_TRIES } from './journal.ts';
import type { Paths } from './layout.ts';
import { type Lease, lost, type Serially, takeLease } from './lease.ts';
import type { Workspace, WorkspaceFile } from './workspace.ts';
import { isBelow } from './workspace-path.ts';

/** The files of a memory: read as committed changes leave them, and changed several at once. */
export class Ledger {
  readonly #workspace: Workspace;
  readonly #control: ControlFile;
  readonly #journal: Journal;
  #last: Promise<unknown> = Promise.resolve();

  constructor(workspace: Workspace, paths: Paths) {
    this.#workspace = workspace;
    this.#control = new ControlFile(workspace, paths);
    this.#journal = new Journal(workspace, this.#control);
  }

  /** Creates the memory if it does not exist. Throws `INVALID_ARGUMENT` if another layout shares some of its folders. */
  async open(): Promise<void> {
    return this.#control.open();
  }

  /**
   * The current content of the file, including a committed change.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if the memory has another layout, like everything that reads or changes it.
   */
  async read(path: string): Promise<WorkspaceFile | undefined> {
    const journal = await this.#journal.changes();
    return current(path, await this.#workspace.read(path), journal);
  }

  /** The current contents of the files that exist, like {@link Ledger.read}. */
  async readAll(paths: readonly string[]): Promise<Map<string, WorkspaceFile>> {
    const journal = await this.#journal.changes();
    const files = new Map<string, WorkspaceFile>();
    for (const path of paths) {
      const file = current(path, await this.#workspace.read(path), journal);
      if (file !== undefined) files.set(path, file);
    }
    return files;
  }

  /** The current paths of the files in a folder. */
  async list(folder: string): Promise<string[]> {
    const journal = await this.#journal.changes();
    const paths = new Set(await this.#workspace.list(folder));
    for (const { path, text } of journal) {
      if (text === null) paths.delete(path);
      else if (isBelow(path, folder)) paths.add(path);
    }
    return [...paths].filter((path) => path !== this.#control.path).sort();
  }

  /** A consistent snapshot of all files of a folder. */
  async snapshot(folder: string): Promise<Map<string, WorkspaceFile>> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const { commits } = (await this.#journal.settle()).control;
      const files = new Map<string, WorkspaceFile>();
      for (const path of await this.#workspace.list(folder)) {
        const file = path === this.#control.path ? undefined : await this.#workspace.read(path);
        if (file !== undefined) files.set(path, file);
      }
      if ((await this.#control.read())?.control.commits === commits) return files;
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
        const { control, version } = await this.#journal.settle();
        if (lease !== undefined && control.fence !== lease.fence) throw lost();
        const changes = await plan();
        if (changes.length === 0) return;
        const stale = await this.#findStale(changes);
        if (stale !== undefined) {
          if ((await this.#control.read())?.version !== version) continue;
          throw conflict(stale.path);
        }
        if (await this.#control.replace({ ...control, commits: control.commits + 1, journal: changes }, version)) {
          await this.#journal.settle();
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
    return takeLease(this.#journal, this.#serially, signal);
  }

  readonly #serially: Serially = (task) => {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  };
}
