import { ROOT } from './memory-path.ts';
import type { MemoryWorkspace } from './memory-workspace.ts';

/** The files of `/memories` at one moment. A folder exists while a file is below it; `/memories` always does. */
export class MemoryTree {
  readonly #files: ReadonlySet<string>;

  constructor(files: readonly string[]) {
    this.#files = new Set(files);
  }

  static async read(workspace: MemoryWorkspace): Promise<MemoryTree> {
    return new MemoryTree(await workspace.list(ROOT));
  }

  isFile(path: string): boolean {
    return this.#files.has(path);
  }

  isFolder(path: string): boolean {
    return path === ROOT || this.below(path).length > 0;
  }

  exists(path: string): boolean {
    return this.isFile(path) || this.isFolder(path);
  }

  /** The paths of the files below a folder. */
  below(folder: string): string[] {
    return [...this.#files].filter((file) => file.startsWith(`${folder}/`));
  }

  /** The file that a path is below, if any. */
  fileAbove(path: string): string | undefined {
    return [...this.#files].find((file) => path.startsWith(`${file}/`));
  }
}
