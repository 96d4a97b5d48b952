import type { FieldNames } from '@keepsake/core/adapter';

/** A file of a workspace. */
export interface WorkspaceFile {
  readonly text: string;
  /** Identifies this content among all that the file has had. The same content may have the same version again. */
  readonly version: string;
}

/** The expected version of the file, or `null` if it must not exist. @default Any. */
export interface WriteOptions {
  readonly ifVersion?: string | null | undefined;
}

/** The options of `write` and `delete`. */
export const WRITE_OPTIONS: FieldNames<WriteOptions> = { ifVersion: true };

/**
 * Text files, by path. Paths are relative, with `/` between names: `memories/MEMORY.md`. An absolute or empty path, or one
 * with `..`, `.`, `\` or NUL, is refused with `INVALID_ARGUMENT`, so no path leads out of the workspace.
 *
 * A file is either written or appended to, never both. An awaited change survives the process. Any other change is there
 * completely or not at all, except the last line of an appended file, which may be torn.
 */
export interface Workspace {
  /** Identifies the files: two workspaces with the same id share them. Without it, each object has its own. */
  readonly id?: string;
  /** The file, or `undefined`. */
  read(path: string): Promise<WorkspaceFile | undefined>;
  /**
   * Creates or replaces the file atomically. Returns its new version.
   *
   * @throws MemoryError `CONFLICT` if its version is not `ifVersion`; nothing was written.
   */
  write(path: string, text: string, options?: WriteOptions): Promise<string>;
  /**
   * Appends a line to a file, and creates the file if necessary. Many processes can append at once, and every line stays
   * whole. Terminates a torn line of a killed process first. `line` must not contain a line break.
   */
  append(path: string, line: string): Promise<void>;
  /** The sorted paths of all files below a folder; `''` is the whole workspace. */
  list(folder: string): Promise<string[]>;
  /**
   * A short text for each file below a folder, by path, that differs after each change of the file. Cheaper than reading the
   * files, such as their size and time. Without it, each generation reads all transcripts.
   */
  marks?(folder: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Removes a file. Returns whether it existed.
   *
   * @throws MemoryError `CONFLICT` if it exists with another version than `ifVersion`.
   */
  delete(path: string, options?: { readonly ifVersion?: string | undefined }): Promise<boolean>;
  /**
   * Removes all files, and what killed processes have left of others. May keep what contains no text, such as locks. Without
   * it, `userWorkspaces` deletes the listed files.
   *
   * @param options - `compact`: also compacts a store of records, so that it keeps no copy of what was deleted. Default: true.
   */
  clear?(options?: { readonly compact?: boolean | undefined }): Promise<void>;
}
