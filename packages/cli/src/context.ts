import { type Namespace, parseNamespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { usageFailure } from './failure.ts';
import type { Backend } from './open/backend.ts';
import { FileBackend } from './open/file-backend.ts';
import { countOf, Output } from './output/output.ts';
import { yellow } from './output/style.ts';

/** The options of every command. */
export interface Settings {
  readonly directory: string;
  /** An SQLite file to use in place of the directory. */
  readonly sqlite?: string;
  /** In the format of `formatNamespace`. */
  readonly namespace?: string;
  readonly json?: boolean;
}

/** What a command needs: the backend, the namespace and the output. */
export class Context {
  readonly namespace: Namespace;
  readonly output: Output;
  readonly #backend: Backend;
  readonly #stores: RecordStore[] = [];

  constructor(backend: Backend, namespace: Namespace, output: Output) {
    this.#backend = backend;
    this.namespace = namespace;
    this.output = output;
  }

  /** The directory or SQLite file, as the options name it. */
  get path(): string {
    return this.#backend.path;
  }

  /** Opens the store of a namespace, by default the one in the options. Creates no files before the first write. */
  openStore(namespace: Namespace = this.namespace): RecordStore {
    const store = this.#backend.openStore(namespace);
    this.#stores.push(store);
    return store;
  }

  /** Closes all opened stores, which makes the next start faster. */
  async close(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close()));
  }

  openSessions(): SessionStore {
    return this.#backend.openSessions();
  }

  /** Warns if damaged lines were skipped while reading. */
  warnOfDamage(): void {
    const { damagedLogs } = this.#backend;
    if (damagedLogs === 0) return;
    const logs = countOf(this.output, damagedLogs, 'log');
    const message = `Skipped damaged lines in ${logs}. Run keepsake doctor.`;
    if (this.output.json) process.stderr.write(`${JSON.stringify({ warning: { code: 'CORRUPT', message } })}\n`);
    else this.output.note(`${yellow('keepsake:', process.stderr)} ${message}`);
  }
}

/**
 * @param mayCreate - Whether a missing SQLite file is created. Directories are created by the first write.
 * @throws Failure if the options are invalid.
 */
export async function openContext(settings: Settings, mayCreate: boolean): Promise<Context> {
  const { namespace = '', json = false } = settings;
  const segments = readNamespace(namespace);
  return new Context(await openBackend(settings, mayCreate), segments, new Output(json));
}

async function openBackend({ directory, sqlite }: Settings, mayCreate: boolean): Promise<Backend> {
  if (sqlite === '') throw usageFailure('--sqlite must be the path of a file, such as memory.db.');
  if (directory === '') throw usageFailure('--directory must be the path of a directory, such as .keepsake.');
  if (sqlite === undefined) return new FileBackend(directory);
  // Loaded only here, because Node before 24.15 warns when node:sqlite is loaded.
  const { SqliteBackend } = await import('./open/sqlite-backend.ts');
  return new SqliteBackend(sqlite, mayCreate);
}

function readNamespace(text: string): Namespace {
  try {
    return parseNamespace(text);
  } catch (error) {
    throw usageFailure(
      `--namespace ${JSON.stringify(text)} is invalid: ${(error as Error).message}\nWrite it as keepsake namespaces prints it, such as user:alice.`,
      error,
    );
  }
}
