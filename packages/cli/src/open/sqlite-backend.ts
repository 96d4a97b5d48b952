import { existsSync } from 'node:fs';
import type { Namespace } from '@keepsake/core';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import type { Backend } from './backend.ts';

/** An SQLite file of `@keepsake/sqlite`. */
export class SqliteBackend implements Backend {
  readonly path: string;
  readonly damagedLogs = 0;
  readonly #mayCreate: boolean;

  /** @param mayCreate - Whether a missing file is created. Opening it would, even for a command that only reads. */
  constructor(file: string, mayCreate: boolean) {
    this.path = file;
    this.#mayCreate = mayCreate;
  }

  openStore(namespace: Namespace): SqliteStore {
    return new SqliteStore({ file: this.#file(), name: 'keepsake', namespace });
  }

  openSessions(): SqliteSessionStore {
    return new SqliteSessionStore({ file: this.#file() });
  }

  #file(): string {
    if (this.#mayCreate || existsSync(this.path)) return this.path;
    throw new Failure('MISSING', `There is no file ${this.path}.`, EXIT.nothing);
  }
}
