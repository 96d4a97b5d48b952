import type { Namespace } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import type { Backend } from './backend.ts';

/** A directory of `@keepsake/file`. */
export class FileBackend implements Backend {
  readonly path: string;
  readonly #damagedLogs = new Set<string>();

  constructor(directory: string) {
    this.path = directory;
  }

  get damagedLogs(): number {
    return this.#damagedLogs.size;
  }

  openStore(namespace: Namespace): FileStore {
    return new FileStore({ ...this.#files(), name: 'keepsake', namespace });
  }

  openSessions(): FileSessionStore {
    return new FileSessionStore(this.#files());
  }

  #files() {
    return {
      directory: this.path,
      onCorrupt: ({ folder }: { readonly folder: string }) => void this.#damagedLogs.add(folder),
    };
  }
}
