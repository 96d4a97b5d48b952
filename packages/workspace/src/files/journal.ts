import { isMemoryError, MemoryError } from '@keepsake/core';
import type { Change, ControlFile, FoundControl } from './control-file.ts';
import type { Workspace, WorkspaceFile } from './workspace.ts';

/** How many times to repeat a step that other processes keep interrupting. */
export const MAX_TRIES = 1_000;

/** The change in progress, which any process completes. */
export class Journal {
  readonly control: ControlFile;
  readonly #workspace: Workspace;

  constructor(workspace: Workspace, control: ControlFile) {
    this.control = control;
    this.#workspace = workspace;
  }

  /** The committed changes that may not be in place yet. */
  async changes(): Promise<readonly Change[]> {
    return (await this.control.read())?.control.journal ?? [];
  }

  /** Completes a committed change of any process. Returns the state after it. */
  async settle(): Promise<FoundControl> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const file = await this.control.read();
      if (file === undefined) {
        await this.control.open();
        continue;
      }
      if (file.control.journal.length === 0) return file;
      for (const change of file.control.journal) await this.#put(change);
      await this.control.replace({ ...file.control, journal: [] }, file.version);
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
}

/** A file as a committed change leaves it. */
export function current(
  path: string,
  file: WorkspaceFile | undefined,
  journal: readonly Change[],
): WorkspaceFile | undefined {
  const change = journal.find((each) => each.path === path);
  if (change === undefined || !isBase(change, file)) return file;
  return change.text === null ? undefined : { text: change.text, version: `pending ${change.base}` };
}

/** Whether a file still has the version that a change is based on. */
export function isBase({ base }: Change, file: WorkspaceFile | undefined): boolean {
  return base === undefined || base === (file?.version ?? null);
}

export function busy(): MemoryError {
  return new MemoryError('TIMEOUT', 'This memory keeps changing. Try again.');
}
