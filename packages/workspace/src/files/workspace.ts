/** A file of a workspace. */
export interface WorkspaceFile {
  readonly text: string;
  /** Tells this content from any other that the file has had. The same content may have the same version again. */
  readonly version: string;
}

/** What a change expects: that the file is in a version, or with `null` that it is not there. By default anything. */
export interface WriteOptions {
  readonly ifVersion?: string | null | undefined;
}

/**
 * Text files, by path. Paths are relative, with `/` between names: `memories/MEMORY.md`. One that is absolute, empty, or
 * holds `..`, `.`, `\` or NUL is `INVALID_ARGUMENT`, and nothing leads out of the workspace.
 *
 * A file is either written or appended to, never both. A change that was awaited outlives the process, and one that was
 * not is there whole or not at all; but for the last line of a file that is appended to, which may be torn.
 */
export interface Workspace {
  /** Names the place: two workspaces of one id are the same files. Without it, each object is a place of its own. */
  readonly id?: string;
  /** The file, or `undefined`. */
  read(path: string): Promise<WorkspaceFile | undefined>;
  /**
   * Creates the file, or replaces it whole, in one step; gives its new version.
   *
   * @throws MemoryError `CONFLICT` where it is not in the version of `ifVersion`; nothing was written.
   */
  write(path: string, text: string, options?: WriteOptions): Promise<string>;
  /**
   * Adds a line at the end of a file, which is made where it is not there. Many may append at once, from many processes:
   * every line stays whole. A line that a killed process left torn is ended first. `line` holds no line break.
   */
  append(path: string, line: string): Promise<void>;
  /** The paths of all files below a folder, sorted; `''` is the whole workspace. */
  list(folder: string): Promise<string[]>;
  /**
   * Removes a file, and says whether it was there.
   *
   * @throws MemoryError `CONFLICT` where it is there in another version than `ifVersion`.
   */
  delete(path: string, options?: { readonly ifVersion?: string | undefined }): Promise<boolean>;
}
