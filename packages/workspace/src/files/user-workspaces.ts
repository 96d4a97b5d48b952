import { MemoryError } from '@keepsake/core';
import { expect, expectKnownFields } from '@keepsake/core/adapter';
import type { Workspace } from './workspace.ts';

/** What this call removed from the workspace of a user, or would remove. */
export interface WorkspaceErasure {
  readonly userId: string;
  readonly dryRun: boolean;
  readonly files: number;
  /** When the workspace was found empty. ISO 8601, UTC. */
  readonly completedAt: string;
}

/** The workspaces of users: `userData` of a `MemorySpace`. */
export interface UserWorkspaces {
  /**
   * Removes all files of the user's workspace, until there are none. After an interruption, call it again.
   *
   * @param options - `dryRun`: counts and removes nothing. Default: false. `compact`: also compacts a store of records, so that
   *   it keeps no copy of what was deleted. Default: true.
   * @throws MemoryError `CONFLICT` if runs of the user keep writing.
   */
  eraseUser(
    userId: string,
    options?: { readonly dryRun?: boolean | undefined; readonly compact?: boolean | undefined },
  ): Promise<WorkspaceErasure>;
  /** A header and all files of the user's workspace as JSON lines, each with its line break, sorted by path. */
  exportUser(userId: string): AsyncGenerator<string>;
}

/** How many times to check again if runs keep writing. */
const MAX_PASSES = 20;

/**
 * Makes workspaces part of `eraseUser` and `exportUser` of a `MemorySpace`: transcripts, notes, generated files and files of
 * Claude's memory tool. For workspaces outside of its store, such as directories.
 *
 * @param open - Returns the workspace of a user, in which everything belongs to this user.
 * @example
 * const directoryOf = (userId: string) => join('agents', Buffer.from(userId).toString('hex'));
 * const userData = { workspaces: userWorkspaces((userId) => localDirectory(directoryOf(userId))) };
 */
export function userWorkspaces(open: (userId: string) => Workspace): UserWorkspaces {
  expect(typeof open === 'function', '`open` must be a function that returns the workspace of a user.');
  const workspaceOf = (userId: string) => {
    // Without an id, a path could be that of the directory of all users.
    expect(typeof userId === 'string' && userId !== '', '`userId` must be a non-empty string.');
    return open(userId);
  };
  return {
    async eraseUser(userId, options = {}) {
      const { dryRun = false, compact = true } = expectKnownFields(options, { dryRun: true, compact: true });
      const workspace = workspaceOf(userId);
      const files = dryRun ? (await workspace.list('')).length : await clear(workspace, compact);
      return { userId, dryRun, files, completedAt: new Date().toISOString() };
    },
    async *exportUser(userId) {
      const workspace = workspaceOf(userId);
      yield line({ keepsake: 'workspace-export', version: 1, userId, exportedAt: new Date().toISOString() });
      for (const path of await workspace.list('')) {
        const file = await workspace.read(path);
        if (file !== undefined) yield line({ kind: 'file', path, text: file.text });
      }
    },
  };
}

async function clear(workspace: Workspace, compact: boolean): Promise<number> {
  let files = 0;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const paths = await workspace.list('');
    files += paths.length;
    if (workspace.clear) await workspace.clear({ compact });
    else for (const path of paths) await workspace.delete(path);
    if (paths.length === 0) return files;
  }
  throw new MemoryError('CONFLICT', 'Runs keep writing to the workspace of this user. Stop them and erase again.');
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
